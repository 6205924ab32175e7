"""How questions are answered: one folder per family of methods, and what the families share."""
