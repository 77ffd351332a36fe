"""The live web: guarded, polite, limited; opened only when somebody asks for it."""
