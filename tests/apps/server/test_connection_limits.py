"""Connections that keep the server waiting are closed in time, and never keep out clients that ask."""

import asyncio
import json
import logging
import socket
import threading
from contextlib import ExitStack, contextmanager, suppress

import httpx
import pytest
from support.served_app import CHAT, QUESTION, app_over, offered, wait_for
from support.strangers import drip, is_healthy, served, stranger

from hopweave.apps.server import connections
from hopweave.apps.server.connections import Connections
from hopweave.apps.server.listening import Listening
from hopweave.apps.server.prometheus import Metrics
from hopweave.apps.server.server_settings import Limits, read_server_settings
from hopweave.core.errors import SettingsError
from hopweave.models.llms.scripted import Line, Scripted

HEAD = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
ASK = HEAD + b"\r\n"
SHORT = 0.3


@contextmanager
def listening(app):
    """An application as `hopweave serve` lets it listen, in a thread of its own; gives its port."""
    server = Listening(app)

    async def run():
        app.state.loop = asyncio.get_running_loop()
        async with app.state.service.started():
            await server.serve(sockets=[own])

    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        own.listen()
        port = own.getsockname()[1]
        thread = threading.Thread(target=lambda: asyncio.run(run()))
        thread.start()
        try:
            wait_for(lambda: server.started or not thread.is_alive())
            yield port
        finally:
            server.should_exit = True
            thread.join(30)


@pytest.fixture
def opened():
    """Opens connections, which are closed at the end."""
    with ExitStack() as stack:

        def open_one(port, sends=b"", address="127.0.0.1"):
            one = socket.create_connection(("127.0.0.1", port), 20, (address, 0))
            stack.enter_context(one)
            one.sendall(sends)
            return one

        yield open_one


def said_by(one):
    """All that a connection says until it is closed."""
    said = b""
    with suppress(ConnectionResetError):
        while more := one.recv(65_536):
            said += more
    return said


def replies_to(one, num):
    """The beginning of each of so many replies; the server keeps the connection."""
    said = b""
    while said.count(b"HTTP/1.1 ") < num or not said.endswith(b"}"):
        more = one.recv(65_536)
        assert more, said
        said += more
    return [part[:3] for part in said.split(b"HTTP/1.1 ")[1:]]


def is_dripping_ended(one, pieces=50, apart=0.05):
    """Sends a byte every so often, for much longer than the limit, until the connection is closed."""
    try:
        for _ in range(pieces):
            one.sendall(b"x")
            one.settimeout(apart)
            try:
                if not one.recv(65_536):
                    return True
            except TimeoutError:
                pass
    except (BrokenPipeError, ConnectionResetError):
        return True
    return False


# -- time ------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def slow_app(tmp_path):
    return app_over(tmp_path, limits=Limits(max_header_seconds=SHORT, max_body_seconds=SHORT))


@pytest.mark.slow
def test_headers_that_do_not_end_are_refused_and_a_connection_that_says_nothing_is_closed_without_a_word(slow_app, opened):
    with listening(slow_app) as port:
        assert is_dripping_ended(opened(port, HEAD + b"X-Slow: "))
        late = said_by(opened(port, HEAD))
        assert said_by(opened(port)) == b""
    assert late.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert json.loads(late.partition(b"\r\n\r\n")[2])["error"]["code"] == "headers_too_slow"


@pytest.mark.slow
@pytest.mark.parametrize(
    "before",
    [
        ASK + HEAD,
        ASK + b"\r\n\r\n",
        b"POST /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000\r\n\r\n{",
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000\r\n\r\n{",
        b"POST /v1/answers HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 9000\r\n\r\n{",
    ],
    ids=["the next headers", "empty lines", "a body", "a body that nobody reads", "the rest of a body that was refused"],
)
def test_a_connection_that_has_been_answered_is_closed_if_it_drips_on(slow_app, opened, before, monkeypatch):
    monkeypatch.setattr(connections, "KEEP_ALIVE_SECONDS", SHORT)
    with listening(slow_app) as port:
        assert is_dripping_ended(opened(port, before))


def test_a_client_that_does_not_read_what_it_asked_for_is_cut_off(tmp_path, opened, monkeypatch):
    monkeypatch.setattr(connections, "UNREAD_SECONDS", SHORT)
    app = app_over(tmp_path)
    with listening(app) as port:
        one = stranger(port, b"")  # whose buffer is small
        one.settimeout(20)
        with one, pytest.raises((BrokenPipeError, ConnectionResetError)):  # noqa: PT012 - whichever of them it is that fails
            while True:
                one.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 20)
        wait_for(lambda: app.state.service.metrics.connections._value.get() == 0)


@pytest.mark.slow
def test_what_takes_long_on_the_side_of_the_server_is_not_cut_off(tmp_path, opened):
    llm = Scripted([("", Line("So the answer is: Ines Halloran.", delay_seconds=4 * SHORT))])
    app = app_over(tmp_path, llm, limits=Limits(max_header_seconds=SHORT, max_body_seconds=SHORT))
    with listening(app) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
        assert client.post("/v1/answers", json={"question": QUESTION}).json()["record"]["answer"]["short"] == "Ines Halloran"
        streamed = client.post("/v1/answers", json={"question": f"{QUESTION} And?", "stream": True})
        assert "event: answer" in streamed.text


@pytest.mark.slow
def test_requests_one_after_the_other_and_all_at_once_go_over_one_connection(slow_app, opened):
    with listening(slow_app) as port:
        one = opened(port, ASK * 3)
        assert replies_to(one, 3) == [b"200"] * 3
        for _ in range(3):
            threading.Event().wait(SHORT * 1.5)  # between requests it may be idle for longer than headers may take
            one.sendall(HEAD)
            one.sendall(b"\r\n")
            assert replies_to(one, 1) == [b"200"]


# -- number ----------------------------------------------------------------------------------------------------------------


def test_slow_connections_make_room_for_those_that_ask_and_the_log_has_one_line(tmp_path, opened, caplog):
    app = app_over(tmp_path, limits=Limits(max_connections=20))
    with listening(app) as port:
        slow = [opened(port, HEAD) for _ in range(60)]
        assert all(is_healthy(port) for _ in range(10))
        cut = said_by(slow[0])
        assert app.state.service.metrics.connections._value.get() <= 20
        text = app.state.service.metrics.text(lambda _: True).decode()
    assert cut.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert b"\r\nRetry-After: 1\r\n" in cut
    assert float(text.partition('hopweave_connections_cut_total{why="full"} ')[2].split()[0]) >= 60 + 1 - 20
    told = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [record.name for record in told] == ["hopweave.apps.server.connections"]
    assert "at most 20 may be" in told[0].message


def test_an_address_has_its_share_and_a_proxy_has_none(tmp_path, opened):
    limits = Limits(max_connections=20, max_connections_per_peer=5)
    with listening(app_over(tmp_path / "one", limits=limits, proxies=("127.0.0.1",))) as port:
        others = [opened(port, HEAD, "127.0.0.2") for _ in range(9)]
        proxy = [opened(port, HEAD) for _ in range(9)]
        assert [said_by(one)[9:12] for one in others[:4]] == [b"503"] * 4
        for one in (*others[4:], *proxy):
            one.sendall(b"\r\n")
            assert replies_to(one, 1) == [b"200"]


@pytest.mark.parametrize(
    ("address", "scheme"),
    [("127.0.1.1", "https"), ("127.0.3.9", "https"), ("127.0.0.1", "http")],
    ids=["one", "network", "other"],
)
def test_the_scheme_that_a_proxy_forwards_is_believed_of_those_that_are_listed(tmp_path, opened, address, scheme):
    body = json.dumps(CHAT).encode()
    ask = (
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: answers.example\r\nX-Forwarded-Proto: https\r\n"
        b"Content-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
    )
    proxies = ("127.0.1.1", "127.0.3.5/24")  # a network may be given by any of its addresses
    with listening(app_over(tmp_path, proxies=proxies, hosts=("answers.example",))) as port:
        said = said_by(opened(port, ask % (len(body), body), address))
    assert said.startswith(b"HTTP/1.1 200 ")
    assert f'"{scheme}://answers.example/v1/corpora/light/passages/carrow"'.encode() in said


@pytest.mark.slow
def test_questions_that_run_are_not_cut_off_for_others(tmp_path, opened):
    llm = Scripted([("", Line("So the answer is: Ines Halloran.", delay_seconds=2))])
    body = json.dumps({"question": QUESTION}).encode()
    ask = b"POST /v1/answers HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
    app = app_over(tmp_path, llm, limits=Limits(max_connections=4))
    with listening(app) as port:
        running = [opened(port, ask % (len(body), body)) for _ in range(4)]
        wait_for(lambda: app.state.service.metrics.running._value.get() == 4)
        refused = said_by(opened(port))
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert [replies_to(one, 1) for one in running] == [[b"200"]] * 4


@pytest.mark.slow
def test_strangers_who_outnumber_the_files_of_the_server_keep_nobody_out_and_the_log_is_short(tmp_path, own_folders):
    with served(tmp_path, 128) as server:
        strangers = [stranger(server.port, HEAD) for _ in range(400)]
        try:
            for one in strangers[::40]:
                assert is_healthy(server.port)
                drip(one)
        finally:
            for one in strangers:
                one.close()
        assert len(server.log) == 2  # that it serves, and that there are too many


def test_where_no_file_can_be_opened_slow_connections_go_and_the_log_has_one_line(tmp_path, opened, caplog):
    app = app_over(tmp_path)
    with listening(app) as port:
        slow = [opened(port, HEAD) for _ in range(3)]
        wait_for(lambda: app.state.service.metrics.connections._value.get() == 3)
        full = {"message": "socket.accept() out of system resource"}
        app.state.loop.call_soon_threadsafe(lambda: [app.state.loop.call_exception_handler(full) for _ in range(2)])
        assert [said_by(one)[9:12] for one in slow[:2]] == [b"503"] * 2
        slow[2].sendall(b"\r\n")
        assert replies_to(slow[2], 1) == [b"200"]
        other = {"message": "something else"}
        app.state.loop.call_soon_threadsafe(app.state.loop.call_exception_handler, other)
        wait_for(lambda: len(caplog.records) == 2)
    assert "and 1 as no file could be opened" in caplog.records[0].message  # at the first of them
    assert caplog.records[1].message == "something else"


@pytest.mark.parametrize(("files", "most"), [(20, 10), (256, 128), (1024, 640), (20_000, 4096)])
def test_without_a_limit_there_are_as_many_as_files_can_be_opened_less_a_reserve(tmp_path, monkeypatch, files, most):
    monkeypatch.setattr(connections, "max_files", lambda: files)
    made = Connections(offered(tmp_path), Metrics())
    assert (made.most, made.most_of_peer) == (most, most // 2)
    monkeypatch.setattr(connections, "max_files", lambda: 1024)
    with pytest.raises(SettingsError, match=r"641, but this process may open 1,024 files, of which 384 .* set at most 640"):
        Connections(offered(tmp_path / "more", limits=Limits(max_connections=641)), Metrics())


def test_addresses_are_counted_by_what_one_client_can_have(tmp_path):
    made = Connections(offered(tmp_path, proxies=("10.1.0.0/16", "fd00::1")), Metrics())
    seen = [made.peer_of(address) for address in (("192.0.2.7", 1), ("::ffff:192.0.2.7", 1, 0, 0), ("fe80::1%eth0", 1, 0, 2))]
    assert seen == ["192.0.2.7", "192.0.2.7", "fe80::/64"]
    assert made.peer_of(("2001:db8::1", 1, 0, 0)) == made.peer_of(("2001:db8::2:1", 1, 0, 0))
    assert [made.peer_of(address) for address in (("10.1.9.9", 1), ("fd00::1", 1, 0, 0), "", None, "/run/socket")] == [""] * 5


def test_a_proxy_that_is_no_address_is_refused():
    with pytest.raises(SettingsError, match=r"'nginx' is not an address or network; give one such as 10\.0\.0\.5"):
        read_server_settings(None, {"proxies": ("nginx",)})
