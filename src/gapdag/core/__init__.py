"""The terms of the equation: SCM, completer, score, divergence, acyclicity, and the solver."""
