"""Documents of an environment: declared beside an archetype, written from the rows once they are complete."""
