"""The server: questions over HTTP, for programs, chat clients and the explorer. `hopweave serve` runs it."""
