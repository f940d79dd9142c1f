"""Runs: the items of one thread become rows, and rows become views again."""
