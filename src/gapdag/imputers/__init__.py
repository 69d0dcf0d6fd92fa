"""Imputers: they fill the holes of a table before anything is learned from it."""

from gapdag.imputers.iterative import IterativeImputer, MissForestImputer
from gapdag.imputers.simple import MeanImputer, MedianImputer

__all__ = ["IterativeImputer", "MeanImputer", "MedianImputer", "MissForestImputer"]
