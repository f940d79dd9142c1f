"""Raw objects become records: the forms a log has, and what one event means."""
