"""The checkpoint keys of a SavedModel's objects.

Source: tensorflow/core/protobuf/trackable_object_graph.proto. An object of the model and an object of
the checkpoint belong together if equal local names lead to them; TensorFlow's loader matches them in this way too.
"""

from collections import deque

from tfcarve.models.object_graph import ObjectGraph
from tfcarve.prepare.freeze.checkpoint import Checkpoint
from tfcarve.prepare.freeze.saved_function import Keys


def object_keys(objects: ObjectGraph, checkpoint: Checkpoint) -> Keys:
    """Returns the keys of the attributes of each object that the checkpoint has.

    Raises InvalidInput if the checkpoint is damaged.
    """
    nodes = checkpoint.object_graph.nodes
    found: dict[int, dict[str, str]] = {}
    todo = deque([(0, 0)] if nodes and objects.objects else [])
    while todo:
        number, own = todo.popleft()
        if number in found or own >= len(nodes):
            continue
        found[number] = {each.name: each.checkpoint_key for each in nodes[own].attributes}
        children = {child.local_name: child.node_id for child in nodes[own].children}
        for name, child in objects.objects[number].children.items():
            if name in children and children[name] >= 0:
                todo.append((child, children[name]))
    return found
