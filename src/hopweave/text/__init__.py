"""Pure functions of text: words, sentences, dates and numbers, similarity, answers and refusals."""
