"""What the text of one sentence says against an answer: it is not so, perhaps so, so no longer, or so of something else."""
