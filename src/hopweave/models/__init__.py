"""Language models, readers and duplicate detectors, one file each; model files; prices."""
