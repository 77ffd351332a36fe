"""Following module-level values of tools.py through its code: the parts of `module_state`."""
