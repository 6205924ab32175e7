"""hopweave as a component of other frameworks: one file per framework, which needs that framework's core package alone."""
