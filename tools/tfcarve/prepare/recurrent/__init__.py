"""Loops that are an LSTM, and their replacement by one op.

Here: recognizing the loop of an LSTM.
Not here: the transform fuse_lstm.
"""
