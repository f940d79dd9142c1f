"""Segments: the records of many objects become the ordered, de-duplicated items of each thread."""
