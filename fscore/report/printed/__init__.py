"""One module per paper: its printed tables in the form of our studies, and side by side with them."""
