"""Reports of runs: Markdown, HTML, CSV and plots."""
