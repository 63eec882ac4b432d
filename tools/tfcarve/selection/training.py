"""What training needs beside the ops of the models: their gradients, and the optimizers' ops. Pure.

Gradients are those that TensorFlow registers in C++ (REGISTER_OP_GRADIENT), which its SymbolicGradient
op and C++ programs use. A model that brings its training step along as a signature needs none of this.
"""

from collections.abc import Collection, Iterable, Mapping

from tfcarve.registry.index import Gradient

# Optimizers are registered for numbers alone; a model's strings and indices name no kernel of theirs.
_TRAINED = frozenset(("bfloat16", "complex128", "complex64", "float16", "float32", "float64"))


def gradient_ops(ops: Iterable[str], gradients: Iterable[Gradient]) -> dict[str, tuple[str, ...]]:
    """Returns the ops of each gradient that `ops` need, by the op that it is the gradient of.

    Gradients of gradients are not followed: training takes one derivative.
    """
    wanted = set(ops)
    found: dict[str, set[str]] = {}
    for gradient in gradients:
        if gradient.op in wanted:
            found.setdefault(gradient.op, set()).update(gradient.ops)
    return {op: tuple(sorted(needed)) for op, needed in sorted(found.items())}


def trained_types(types: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Returns which of the data types in use, by op, variables are trained in."""
    return _TRAINED & {name for names in types.values() for name in names}
