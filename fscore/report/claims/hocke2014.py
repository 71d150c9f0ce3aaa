"""Claims of Hocke and Martinetz 2014."""
