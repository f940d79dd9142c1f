"""Meaning: pure functions from bytes and structs to bytes and structs. No Beam, network, clock or environment."""
