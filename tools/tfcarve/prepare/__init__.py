"""Model preparation: from the model that a training run saves to the GraphDef that an app ships.

Here: the context of a transform, and reading any model as a graph; each folder below has one subject.
Not here: selecting.
"""
