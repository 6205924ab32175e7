"""A small corpus of encyclopaedic passages and the multi-hop questions that go with it."""
