"""Published against reproduced, verdicts, figures, provenance."""

REFERENCE = "paper"  # the profile whose accepted results all other runs are shown beside
