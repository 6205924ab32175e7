"""Whether what a run says is what its records give."""
