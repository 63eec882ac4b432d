"""A zoo of models, made here: what TensorFlow's own tool finds for each stands beside ours."""
