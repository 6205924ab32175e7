"""The runtime of questions: the workbench, the components it uses, and the store."""
