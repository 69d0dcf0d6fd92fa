"""Knowledge: what it says becomes masks, what cannot be is refused by name."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gapdag import graph
from gapdag.errors import GapdagError
from gapdag.knowledge import Knowledge, Masks

NAMES = ["a", "b", "c", "d", "e"]
edge = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda e: e[0] != e[1])


@st.composite
def sayings(draw):
    """Any mapping with the constructor's keys, feasible or not."""
    order = draw(st.permutations(NAMES))
    cuts = sorted(draw(st.lists(st.integers(0, 5), max_size=2)))
    tiers = [order[i:j] for i, j in zip([0, *cuts], [*cuts, 5], strict=True)]
    return {
        "forbidden": draw(st.lists(edge, max_size=4)),
        "required": draw(st.lists(edge, max_size=3)),
        "tiers": draw(st.sampled_from([[], [t for t in tiers if t]])),
        "roots": draw(st.lists(st.sampled_from(NAMES), max_size=1)),
        "sinks": draw(st.lists(st.sampled_from(NAMES), max_size=1)),
    }


@given(sayings())
@settings(max_examples=200, deadline=None)
def test_masks_say_what_was_said_or_it_is_refused(said):
    try:
        masks = Knowledge(**said).masks(NAMES)
    except GapdagError:
        assert said["required"]  # without a required edge nothing can contradict
        return
    at = {c: i for i, c in enumerate(NAMES)}
    assert not masks.allowed.diagonal().any()
    assert not (masks.required & ~masks.allowed).any()
    assert all(masks.required[at[a], at[b]] for a, b in said["required"])
    assert not any(masks.allowed[at[a], at[b]] for a, b in said["forbidden"])
    assert not any(masks.allowed[:, at[c]].any() for c in said["roots"])
    assert not any(masks.allowed[at[c]].any() for c in said["sinks"])
    for k, later in enumerate(said["tiers"]):
        for earlier in said["tiers"][:k]:
            assert not any(masks.allowed[at[x], at[y]] for x in later for y in earlier)
    for i, j in np.argwhere(masks.allowed):  # no allowed edge closes a cycle of required ones
        alone = masks.required.copy()
        alone[i, j] = True
        assert graph.is_dag(alone)


@given(sayings())
@settings(max_examples=100, deadline=None)
def test_yaml_and_dict_say_the_same(tmp_path_factory, said):
    try:
        known = Knowledge(**said)
    except GapdagError:
        return
    path = tmp_path_factory.mktemp("k") / "known.yaml"
    path.write_text(yaml.safe_dump(known.to_dict()), encoding="utf-8")
    assert Knowledge.from_yaml(path) == known == Knowledge.from_dict(known.to_dict())
    assert hash(Knowledge.from_yaml(path)) == hash(known)


def test_nothing_known_leaves_all_but_loops():
    masks, free = Knowledge().masks(NAMES), Masks.free(5)
    assert (masks.allowed == free.allowed).all()
    assert masks.allowed.sum() == 20
    assert not masks.required.any()


def test_an_edge_against_a_required_path_is_ruled_out():
    allowed = Knowledge(required=[("a", "b"), ("b", "c")]).masks(NAMES).allowed
    assert not allowed[2, 0]
    assert not allowed[1, 0]
    assert allowed[0, 2]


def test_an_empty_yaml_file_knows_nothing(tmp_path):
    (tmp_path / "k.yaml").write_text("# nothing yet\n")
    assert Knowledge.from_yaml(tmp_path / "k.yaml") == Knowledge()


REFUSED = {
    "cycle": ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, "form a cycle: .*'a' -> 'b'"),
    "two cycle": ({"required": [("a", "b"), ("b", "a")]}, "form a cycle"),
    "forbidden too": ({"required": [("a", "b")], "forbidden": [("a", "b")]}, "'a' -> 'b' is req"),
    "against tiers": ({"required": [("b", "a")], "tiers": [["a"], ["b"]]}, "'b' -> 'a' is requi"),
    "into a root": ({"required": [("b", "a")], "roots": ["a"]}, "'b' -> 'a' is required but also"),
    "out of a sink": ({"required": [("a", "b")], "sinks": ["a"]}, "ruled out"),
    "unknown name": ({"roots": ["aa", "a"]}, "unknown column 'aa'; did you mean: a"),
    "itself": ({"forbidden": [("a", "a")]}, "'forbidden' holds an edge from 'a' to itself"),
    "in two tiers": ({"tiers": [["a"], ["a", "b"]]}, "'a' stands in the tiers twice"),
    "no pair": ({"forbidden": [("a", "b", "c")]}, r"is a pair \[source, target\]"),
    "text for a list": ({"roots": "a"}, "'roots' must be a list, got 'a'"),
    "text for a pair": ({"required": ["ab"]}, "is a pair"),
    "number for a list": ({"tiers": 3}, "'tiers' must be a list, got 3"),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_what_cannot_be_is_refused_by_name(case):
    said, message = REFUSED[case]
    with pytest.raises(GapdagError, match=message) as caught:
        Knowledge(**said).masks(NAMES)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("forbiden: []", "unknown knowledge key 'forbiden'; did you mean: forbidden"),
        ("- a\n- b", "must be a mapping"),
        ("required: [[a, b]\nroots: [a]", "is not YAML .line 2"),
        ("\t{", "is not YAML"),
        (b"\xff\xfe\x00", "cannot read .* UTF-8"),
        (None, "No such file"),
    ],
)
def test_a_bad_file_is_one_line(tmp_path, text, message):
    path = tmp_path / "known.yaml"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(GapdagError, match=message) as caught:
        Knowledge.from_yaml(path)
    assert "\n" not in str(caught.value)
    assert "known.yaml" in str(caught.value) or "knowledge" in str(caught.value)


def test_it_prints_what_it_says():
    assert repr(Knowledge(roots=["a"])) == "Knowledge(roots=('a',))"
