"""TensorFlow as in a mobile build: without oneDNN, which replaces nodes before it checks them."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
