"""A seed becomes a raw AG-UI log: conversations as clients have them, objects as a hot tier writes them."""
