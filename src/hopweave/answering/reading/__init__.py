"""Reading facts: numbered sentences, an answer with the number of its fact, checks without a model, comparisons by code."""
