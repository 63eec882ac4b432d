"""What training needs beside the ops of the models: their gradients, and the optimizers' ops. Pure.

Gradients are those that TensorFlow registers in C++ (REGISTER_OP_GRADIENT), which its SymbolicGradient
op and C++ programs use. A model that brings its training step along as a signature needs none of this.
"""

from collections.abc import Collection, Iterable, Mapping

from tfcarve.registry.index import Gradient

# Optimizers are registered for numbers alone; a model's strings and indices name no kernel of theirs.
_TRAINED = frozenset(("bfloat16", "complex128", "complex64", "float16", "float32", "float64"))


def gradients_of(ops: Iterable[str], gradients: Iterable[Gradient]) -> tuple[Gradient, ...]:
    """Returns those of `gradients` that are of one of `ops`, sorted by op.

    Gradients of gradients are not followed: training takes one derivative.
    """
    wanted = set(ops)
    found = (g for g in gradients if g.op in wanted and g.function)
    return tuple(sorted(found, key=lambda g: (g.op, g.file, g.line)))


def trained_types(types: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Returns which of the data types in use, by op, variables are trained in."""
    return _TRAINED & {name for names in types.values() for name in names}
