"""Complete table -> graph."""
