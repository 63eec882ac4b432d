"""Checks whether a TensorFlow release may load a GraphDef of a version. Pure.

Source: CheckVersions in tensorflow/core/framework/versions.cc. A graph of a later producer is accepted.
"""

from tfcarve.errors import InvalidInput
from tfcarve.models.versions import Versions
from tfcarve.newer.data import NewerOps
from tfcarve.newer.versions import release_of


def fix(newer: NewerOps) -> str:
    """Returns advice about a graph that a release refuses."""
    built = release_of(newer.tensorflow)
    return f"export the model with TensorFlow {built}, or correct the program that sets min_consumer and bad_consumers"


def fault(versions: Versions, newer: NewerOps) -> str:
    """Returns the reason why a release refuses a graph by its versions; "" if it accepts the graph."""
    own = newer.graph_version
    if versions.min_consumer > own:
        later = (row.name for row in newer.releases if row.graph_version >= versions.min_consumer)
        first = next(later, "")
        found = f": {first} is the first release that accepts it" if first else ""
        return (
            f"the graph is for consumers of version {versions.min_consumer} and later (min_consumer), and TensorFlow "
            f"{newer.tensorflow} has version {own}{found}"
        )
    if own in versions.bad_consumers:
        return f"the graph excludes consumers of version {own} (bad_consumers), which TensorFlow {newer.tensorflow} has"
    return ""


def require(versions: Versions, newer: NewerOps) -> None:
    """Raises InvalidInput if a release refuses a graph by its versions."""
    found = fault(versions, newer)
    if found:
        raise InvalidInput(f"{found}: {fix(newer)}")
