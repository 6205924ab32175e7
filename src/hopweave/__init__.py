"""hopweave."""
