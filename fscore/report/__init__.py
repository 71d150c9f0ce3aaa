"""Published against reproduced, verdicts, figures, provenance."""
