"""Support for claims: citations, the one support rule, and the placement of marks."""
