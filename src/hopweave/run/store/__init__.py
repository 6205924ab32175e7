"""What may lie on a server that several machines share, as well as in a file or folder: the store, and kept answers."""
