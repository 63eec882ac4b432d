"""Ops that training needs in addition to the ops of a model: gradients and optimizers. Pure.

Only gradients that TensorFlow registers in C++ (REGISTER_OP_GRADIENT) are selected. TensorFlow's op SymbolicGradient and C++
programs use them. A model with a training step as a signature does not need these ops.
"""

from collections.abc import Collection, Iterable, Mapping

from tfcarve.registry.index import Gradient

# Optimizers have kernels for these types only; a model also uses strings and indices.
_TRAINED = frozenset(("bfloat16", "complex128", "complex64", "float16", "float32", "float64"))


def gradients_of(ops: Iterable[str], gradients: Iterable[Gradient]) -> tuple[Gradient, ...]:
    """Returns the gradients of `ops`, sorted by op.

    Gradients of gradients are not included: training takes one derivative.
    """
    wanted = set(ops)
    found = (g for g in gradients if g.op in wanted and g.function)
    return tuple(sorted(found, key=lambda g: (g.op, g.file, g.line)))


def trained_types(types: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Returns the data types of trained variables among the types in use, by op."""
    return _TRAINED & {name for names in types.values() for name in names}
