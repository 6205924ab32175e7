"""Engines that find passages, and their indexes: in a folder, or on a server."""
