"""Code shared by all papers: experiments and their units, pages, verdicts, comparison with the printed numbers."""
