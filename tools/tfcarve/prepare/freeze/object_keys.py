"""The checkpoint keys of a SavedModel's objects.

Source: tensorflow/core/protobuf/trackable_object_graph.proto. As TensorFlow does when it loads a SavedModel, an object of the
model and one of the checkpoint are matched by the local names that lead to them.
"""

from collections import deque

from google.protobuf import message

from tfcarve.errors import InvalidInput
from tfcarve.models.object_graph import ObjectGraph
from tfcarve.prepare.freeze.checkpoint import Checkpoint
from tfcarve.prepare.freeze.saved_function import Keys
from tfcarve.prepare.saved_model_messages import TrackableObjectGraph


def object_keys(objects: ObjectGraph, checkpoint: Checkpoint) -> Keys:
    """Returns the keys of the attributes of each object that the checkpoint has.

    Raises InvalidInput if the checkpoint is damaged.
    """
    try:
        tracked = TrackableObjectGraph.FromString(checkpoint.object_graph())
    except message.DecodeError as error:
        raise InvalidInput(
            f"checkpoint {checkpoint.name}: its object graph is damaged: {error}"
        ) from None
    nodes = tracked.nodes
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
