"""Starts the data of a TensorFlow release from a source tree and the data of a release that tfcarve has.

Here: which paths, overrides and third-party sources of the older release the tree still has, and a folder for the new release.
Not here: what is generated from the folder afterwards: tools/tfcarve/build_files, newer and registry.
"""
