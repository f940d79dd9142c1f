"""Shapes: what an event, a record, a view and a table row look like. No Beam, no I/O, no clock."""
