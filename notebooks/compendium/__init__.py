"""What all papers of the compendium share: experiments and their units, pages, verdicts, comparison with print."""
