import json

from support.hops.toqd import CASE as PUBLISHED
from support.three_hops import Case


def _say(messages, sampling):
    """As toqd, but for the end: one of the facts that are shown answers."""
    if "number of the fact" in messages[0].text:
        return json.dumps({"fact": 2, "answer": "the Teel"})
    return PUBLISHED.says(messages, sampling)


CASE = Case(_say, calls=PUBLISHED.calls, rounds=lambda h: h + 1)
