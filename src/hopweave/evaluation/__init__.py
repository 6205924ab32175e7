"""The evaluation: methods over datasets, resumable; scores, comparison, report and proof of them."""
