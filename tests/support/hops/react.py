from support.three_hops import ANSWER, HOPS, Case


def turns():
    """A trajectory of as many searches as there are hops, and then the answer."""
    learnt = ""
    for number, (query, answer) in enumerate(HOPS, start=1):
        yield f"{learnt} Next to find out: {query}\nAction {number}: Search[{query}]"
        learnt = f"It is {answer}."
    yield f"{learnt} That is enough to answer.\nAction {len(HOPS) + 1}: Finish[{ANSWER}]"


CASE = Case(list(turns()), calls=lambda h: h + 1, rounds=lambda h: h)
