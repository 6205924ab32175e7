"""What can be said of texts without a model: words, sentences, dates and numbers, likeness."""
