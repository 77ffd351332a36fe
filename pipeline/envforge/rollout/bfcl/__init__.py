"""The Berkeley Function Calling Leaderboard: its items through our loop, its own code for tools and scores."""
