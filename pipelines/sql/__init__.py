"""The lake in SQL: its tables and the views over them, for DuckDB."""
