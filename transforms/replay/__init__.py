"""Replay: rows become AG-UI events, inputs and snapshots again."""
