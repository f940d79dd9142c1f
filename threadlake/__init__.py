"""The client: what runs inside an agent's own server.

It imports none of `schemas`, `transforms` and `pipelines` (an application may have packages of these names), and
neither Apache Beam nor a model library. Importing it costs next to nothing.
"""

__version__ = "0.1.0"
"""Version of the distribution ``threadlake``: pyproject.toml reads it from here."""
