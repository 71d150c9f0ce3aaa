"""Names to arrays: bundled, generated, or downloaded and checksum-verified."""
