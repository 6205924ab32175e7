from pathlib import Path

from support.three_hops import QUESTION, Case

POOL = Path(__file__).parents[1] / "pool.txt"
NUM_QUESTIONS = 4

CASE = Case(
    [
        ("Now give the final answer.", "Marlow Cross"),
        (QUESTION, "The light is Ines Halloran's. The answer is the Teel."),
        ("Let us reason", "It was made in Marlow Cross."),
    ],
    calls=lambda h: 1,
    offline_calls=2 * NUM_QUESTIONS,
    rounds=lambda h: 0,
    options={"pool": str(POOL), "n_demos": 2, "run_whole_pool": True},
)
