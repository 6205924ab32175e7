"""Questions that begin at the same moment, end late, fail or die with their process: a day's tokens are not overrun."""

from __future__ import annotations

import random
import threading
import time
from contextlib import ExitStack, closing, suppress

from hopweave.apps.server.callers import Allowance, Caller
from hopweave.apps.server.daily_counts import Daily, FolderCounts
from hopweave.apps.server.refusals import Refused
from hopweave.apps.server.server_settings import KeySettings

from ..attack import Attack, Trial


def questions(trial: Trial) -> None:
    """Some servers on one folder, and callers who ask them all they can."""
    drawn = trial.random
    budget, limit = drawn.choice([1, 500, 3_000, 20_000]), drawn.choice([1, 320, 1_000, 5_000])
    num_servers, num_callers, each = drawn.randint(1, 3), drawn.randint(2, 12), drawn.randint(2, 10)
    trial.shows((budget, limit, num_servers, num_callers, each))
    asking = Caller("anna", limits=KeySettings(sha256="0" * 64, tokens_per_day=budget))
    used: list[int] = []
    lost: list[int] = []
    ready = threading.Barrier(num_callers)

    def ask(allowance: Allowance, own: random.Random) -> None:
        ready.wait(60)
        for _ in range(each):
            with suppress(Refused):
                reserved = allowance.question(asking, limit)
                assert reserved is not None
                time.sleep(own.random() / 500)
                if own.random() < 0.1:
                    lost.append(limit)  # as of a process that is killed: it may have used them, and never says so
                    continue
                took = own.choice([0, limit // 2, limit])
                used.append(took)
                allowance.spent(asking, took, reserved)

    with ExitStack() as stack:
        counts = [stack.enter_context(closing(FolderCounts(trial.folder))) for _ in range(num_servers)]
        allowances = [Allowance(one) for one in counts]
        threads = [
            threading.Thread(target=ask, args=(drawn.choice(allowances), random.Random(drawn.random())))
            for _ in range(num_callers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert not any(thread.is_alive() for thread in threads), "a caller still waits"
        # What is reserved for the lost is still kept, so they count as if they had used it all.
        assert sum(used) + sum(lost) < budget + limit, f"{sum(used)} and {sum(lost)} lost, of {budget}"
        assert_counted(counts[-1], sum(used), sum(lost))


def assert_counted(counts: FolderCounts, used: int, lost: int) -> None:
    """Checks that every token was counted once, and that what is reserved is that of the lost alone."""
    assert counts.take("anna", Daily(tokens=used + lost + 1)) is None
    refused = counts.take("anna", Daily(tokens=used + lost)) if used + lost else None
    assert (refused is not None) == (used + lost > 0)
    assert refused is None or refused.is_reserved == (lost > 0)


ATTACKS = (Attack("budgets", "a day's tokens are overrun by less than one question", questions, 600, 12),)
