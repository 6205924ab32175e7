"""Inputs of all kinds that mean harm, drawn by chance, from a seed, so that each can be drawn again.

`make attack` runs it and prints, for each attack, how many inputs were tried, how many held and how many broke something;
`test_attack.py` runs a short form of it with the other tests.
"""
