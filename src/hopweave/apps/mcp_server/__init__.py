"""The tools of hopweave for clients of the Model Context Protocol."""
