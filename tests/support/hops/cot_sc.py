from support.three_hops import Case

SAMPLES = (
    "The light is Ines Halloran's. So the final answer is the Teel.",
    "She was born in Marlow Cross. So the final answer is the Orr.",
    "The Teel runs through Marlow Cross. So the final answer is the Teel.",
)

CASE = Case(SAMPLES, calls=lambda h: len(SAMPLES), rounds=lambda h: 0, options={"n_samples": len(SAMPLES)})
