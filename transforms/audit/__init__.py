"""Audit: what a lake holds becomes findings."""
