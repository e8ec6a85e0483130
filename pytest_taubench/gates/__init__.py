"""Gates: conditions on a run's figures that decide whether it passes."""
