"""Reading ahead: the same items in the same order, never far ahead, and nothing left running."""

import threading
import time

import pytest

from hopweave.ingest.ahead import Ahead, Pieces


def running():
    return [one for one in threading.enumerate() if one.name == "hopweave-read-ahead"]


def test_items_come_in_order_from_a_thread_that_ends_with_them():
    names = []

    def items():
        names.append(threading.current_thread().name)
        yield from range(1000)

    assert list(Ahead(items(), 7)) == list(range(1000))
    assert names == ["hopweave-read-ahead"]
    assert not running()


def test_no_more_than_so_many_items_wait():
    taken = []

    def items():
        for number in range(100):
            taken.append(number)
            yield number

    ahead = Ahead(items(), 5)
    assert next(ahead) == 0
    deadline = time.monotonic() + 60
    while len(taken) < 7 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(taken) == 7  # one was taken, five wait, one is held by the thread
    ahead.close()
    assert not running()
    assert list(ahead) == []


@pytest.mark.parametrize("error", [ValueError("broken"), MemoryError(), KeyboardInterrupt(), SystemExit(3)])
def test_an_error_in_the_thread_is_raised_where_the_items_are_taken(error):
    def items():
        yield 1
        raise error

    ahead = Ahead(items(), 5)
    assert next(ahead) == 1
    with pytest.raises(type(error)):
        next(ahead)
    assert not running()
    assert list(ahead) == []


def test_closing_ends_the_items_in_their_own_thread():
    ended = []

    def items():
        try:
            while True:
                yield b""
        finally:
            ended.append(threading.current_thread().name)

    ahead = Ahead(items(), 2)
    next(ahead)
    ahead.close()
    assert ended == ["hopweave-read-ahead"]


def test_pieces_are_a_stream_whatever_their_lengths():
    stream = Pieces(iter([b"ab", b"", b"cdefg", b"h"]))
    assert [stream.read(3) for _ in range(5)] == [b"ab", b"cde", b"fg", b"h", b""]
    assert Pieces(iter([])).read(1) == b""


def test_a_file_that_is_left_half_read_leaves_no_thread(tmp_path):
    import gzip

    from hopweave.ingest.read import read_corpus

    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "some words"}\n' * 2_000_000))
    passages = read_corpus([path])
    next(passages)
    assert len(running()) == 1
    passages.close()
    assert not running()
