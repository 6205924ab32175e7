"""hopweave as a component of other frameworks: one file per framework, which needs only that framework's core package."""
