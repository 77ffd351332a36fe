<<<<<<< HEAD
"""Pages for people, made from records only."""
=======
"""Pages and pictures, from records only."""
>>>>>>> debd3f9 (envforge eval: figures with clustered intervals, mistakes named with their evidence, comparisons, a page, a log for Inspect; analyze errors measures the naming)
