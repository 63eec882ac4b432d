"""Model preparation: from what a training run saves to the GraphDef that an app ships."""
