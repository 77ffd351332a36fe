"""The tables of a published set, as Parquet files that `datasets` loads by name."""
