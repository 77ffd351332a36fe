"""What was made, in the formats of others."""
