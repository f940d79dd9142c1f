"""The world: Beam jobs, files and services, and the command line."""
