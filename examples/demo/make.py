"""How examples/demo was made: by the project's own simulator, nothing else.

.venv/bin/python examples/demo/make.py
"""

from pathlib import Path

import pandas as pd

from gapdag import simulate

NAMES = ["TF1", "TF2", "kinase A", "kinase B", "receptor", "ligand", "reporter",
         "growth", "stress", "uptake", "export", "yield"]  # fmt: skip
here = Path(__file__).parent
p = simulate.problem(graph="ER", d=12, edges=18, n=800, mechanism="mlp", missingness="mcar",
                     rate=0.2, seed=7)  # fmt: skip
pd.DataFrame(p.X.round(4), columns=NAMES).to_csv(here / "data.csv", index=False)
edges = [(NAMES[p.columns.index(a)], NAMES[p.columns.index(b)]) for a, b in p.edges]
pd.DataFrame(edges, columns=["source", "target"]).to_csv(here / "edges.csv", index=False)
