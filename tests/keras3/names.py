"""The names of the models, for processes without Keras 3; a test compares them with keras3.architectures and keras3.modules."""

QUICK = ("lstm", "states", "string_lookup")
NAMES = (
    *QUICK,
    *("convnext_tiny", "efficientnet_v2_b0", "mobilenet_v2", "mobilenet_v3_small", "resnet_50_v2"),
    *("attention", "audio", "augmentation", "bidirectional", "category_encoding", "conv_lstm", "convolutions"),
    *("crossing", "detection", "einsum_dense", "gru", "hashing", "image_preprocessing", "int8_weights"),
    *("integer_lookup", "masked_lstm", "mel_spectrogram", "mixed_float16", "normalizations", "stacked_cells"),
    *("combined_nms", "nms"),
    *("stft", "tabular", "tensor_functions", "text_vectorization", "transformer", "volumes"),
)  # fmt: skip
