from support.three_hops import HOPS, NUM_HOPS, Case

LEVELS = [
    says
    for query, answer in HOPS
    for says in (f"1. What is Carrow Head?\n2. {query}\n3. FINISH", "It names him. The best choice is 2.", answer)
]

# The depth ends the tree, so that it is the 3 h + 1 of the registry: a model that finishes by itself suggests once more.
CASE = Case(
    [*LEVELS, "So the final answer is the Teel."],
    calls=lambda h: 3 * h + 1,
    rounds=lambda h: h,
    options={"max_depth": NUM_HOPS},
)
