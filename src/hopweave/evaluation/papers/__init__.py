"""The tables and figures of the papers, one file each, made from the records of runs. No model is called."""
