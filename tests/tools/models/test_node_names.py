"""Names of nodes for the inputs and outputs of a signature."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfcarve.models.node_names import as_node_name, frozen_names, is_node_name, meant

# Few characters, so that changed names are often equal.
_KEYS = st.lists(st.text("ab _:1\n>\\", min_size=1, max_size=4), unique=True, max_size=6)


@given(_KEYS, _KEYS)
@settings(max_examples=300)
def test_names_are_valid_unique_and_found_again(inputs: list[str], outputs: list[str]) -> None:
    ins, outs = frozen_names(inputs, outputs)
    nodes = {*ins, *outs}
    assert len(nodes) == len(ins) + len(outs) and all(map(is_node_name, nodes))
    for keys, names in ((inputs, ins), (outputs, outs)):
        named = dict(zip(keys, names, strict=True))
        for key, name in named.items():
            if is_node_name(key) and (keys is inputs or key not in ins):
                assert name == key or name.startswith(f"{key}_")
                assert keys is outputs or name == key
            assert meant(key, nodes, named) == name
            assert meant(name, nodes, named) == name


@pytest.mark.parametrize(
    ("inputs", "outputs", "names"),
    [
        (["x"], ["y"], (["x"], ["y"])),
        (["my input", "_x"], ["my output", "1:0"], (["my_input", "t_x"], ["my_output", "1_0"])),
        (["a b", "a_b"], ["x"], (["a_b_1", "a_b"], ["x"])),
        (["x"], ["x", "x_output"], (["x"], ["x_output_1", "x_output"])),
        (["x y"], ["x_y", "x y"], (["x_y"], ["x_y_output", "x_y_output_1"])),
        ([], ["é", "a\u2028b"], ([], ["t_", "a_b"])),
    ],
)
def test_names(inputs: list[str], outputs: list[str], names: tuple[list[str], list[str]]) -> None:
    assert frozen_names(inputs, outputs) == names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x", "x_output"),
        ("x:0", "x_output"),
        ("x:1", "x:1"),
        ("my output", "my_output"),
        ("my_output", "my_output"),
        ("_y", "t_y"),
        ("none", "none"),
        ("no node", "no node"),
    ],
)
def test_what_a_name_means(text: str, found: str) -> None:
    assert meant(text, {"x", "x_output", "my_output", "t_y"}, {"x": "x_output"}) == found
    assert as_node_name(found) == found or found == text


@given(st.text("ab0_./>-\\ é\n", max_size=6))
@settings(max_examples=300)
def test_any_text_becomes_a_name(text: str) -> None:
    name = as_node_name(text)
    assert is_node_name(name)
    assert (name == text) == is_node_name(text)


@pytest.mark.parametrize(
    ("text", "in_graph", "in_function"),
    [
        ("a", True, True),
        ("_a", False, True),
        ("a>_b", False, False),
        ("__", False, True),
        ("", False, False),
    ],
)
def test_names_in_functions(text: str, in_graph: bool, in_function: bool) -> None:
    assert is_node_name(text) == in_graph
    assert is_node_name(text, in_function=True) == in_function
