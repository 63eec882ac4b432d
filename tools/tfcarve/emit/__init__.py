"""From a selection to the files that a build takes."""
