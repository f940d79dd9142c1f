"""Fold: AG-UI events, one by one, become the view that the reference client shows."""
