"""Floor 7: parse, build one config, call one function; the only place that prints."""
