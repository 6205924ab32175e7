"""What methods are built from: claims, the final answer, demonstrations, votes, work side by side."""
