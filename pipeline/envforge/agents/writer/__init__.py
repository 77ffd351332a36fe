"""Writers of tasks: they word goals anew, and propose goals with their solutions. The gates on tasks decide."""
