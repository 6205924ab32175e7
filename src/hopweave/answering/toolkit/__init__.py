"""Building blocks of methods: claims, the final answer, demonstrations, votes, concurrency."""
