"""What bears a claim out: citations, the one rule of support, and where marks may stand."""
