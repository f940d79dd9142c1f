"""Plain clients of the outside world, one file a system. No Beam."""
