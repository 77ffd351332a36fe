"""Why a failed episode failed: rules over its calls beside those of the gold solution, each with its evidence."""
