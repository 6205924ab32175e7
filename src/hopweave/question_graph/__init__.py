"""ToQD's graph of sub-questions: how it is written and how its nodes are answered, for the method and for the retriever."""
