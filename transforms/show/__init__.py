"""Show: plans, commits, rows and branches become lines for a person."""
