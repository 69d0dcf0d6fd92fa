"""Causal graphs from tables with holes."""
