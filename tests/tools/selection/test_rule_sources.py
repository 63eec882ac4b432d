"""Each runtime rule names TensorFlow sources that are there and that mention what it adds."""

import re

import pytest
import trees

from tfcarve.selection.runtime_rules import Rule, load


@pytest.mark.parametrize("rule", load(), ids=lambda rule: rule.id)
def test_source(rule: Rule) -> None:
    paths = re.findall(r"tensorflow/[\w/.]+\.cc", rule.source)
    assert paths, rule.source
    text = "".join((trees.tensorflow() / path).read_text() for path in paths)
    for op in rule.ops:
        assert f'"{op}"' in text, f"{op} is not in {paths}"
