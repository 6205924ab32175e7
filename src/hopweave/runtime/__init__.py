"""What questions are answered with: the workbench, what it holds, and what it keeps."""
