"""The report on anyone's CSV file: as a page with your data, and measured on files whose truth is known."""
