"""Strangers who open many connections and keep the server waiting: clients that ask are answered, and strangers closed."""

from __future__ import annotations

import time

from support.strangers import WAYS, drip, is_closed, is_healthy, served, stranger

from ..attack import Attack, Trial

NUM_FILES = 128
"""That the server may open, which are far fewer than there are strangers."""
_SECONDS = 60
"""After which every stranger has to be gone; the limits are a second."""
LIMITS = "max_header_seconds = 1\nmax_body_seconds = 1"


def crowd(trial: Trial) -> None:
    """One server and its strangers, each of whom is counted."""
    drawn, strangers, awaited = trial.random, [], []
    with served(trial.folder, NUM_FILES, limits=LIMITS) as server:
        try:
            for number in range(trial.share):
                way = drawn.choice([*WAYS])
                trial.shows((number, way))
                strangers.append(stranger(server.port, WAYS[way](drawn)))
                awaited += strangers[-1:] if way != "reads nothing" else []  # the others have a minute, which nothing sets
                if number % 50 == 49:
                    assert is_healthy(server.port), "a client is not answered"
                    drip(drawn.choice(strangers))
            late = time.monotonic() + _SECONDS
            while left := [one for one in awaited if not is_closed(one)]:
                assert time.monotonic() < late, f"{len(left)} connections are still open"
                assert is_healthy(server.port), "a client is not answered"
                time.sleep(0.1)
            assert server.num_files < NUM_FILES // 2, f"{server.num_files} files are still open"
            assert len(server.log) <= 3, server.log[:20]  # what it serves, and a line a minute
        finally:
            for one in strangers:
                one.close()


ATTACKS = (Attack("strangers", "a client is answered whoever keeps connections open", crowd, 2_400, 160, parts=lambda: 2),)
