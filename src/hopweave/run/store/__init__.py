"""Data kept in a file or folder, or on a server that several machines share: the store, kept answers and daily counts."""
