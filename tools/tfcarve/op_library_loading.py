"""Loads the libraries of custom ops that the user names into TensorFlow. Their code runs in the process."""

from collections.abc import Iterable

import tensorflow as tf

from tfcarve.errors import InvalidInput
from tfcarve.op_library import cannot_be_loaded


def load(paths: Iterable[str]) -> None:
    """Loads libraries; raises InvalidInput if TensorFlow cannot load one."""
    for path in paths:
        try:
            tf.load_op_library(path)
        except (tf.errors.OpError, RuntimeError, OSError) as error:
            raise InvalidInput(cannot_be_loaded(path, str(error))) from None
