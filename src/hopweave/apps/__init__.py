"""The interfaces of hopweave: command line, server, Model Context Protocol, and adapters for other libraries."""
