"""Stages: PTransforms, each named as the pure function that it wires."""
