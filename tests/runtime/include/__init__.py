"""Tests of the headers of the C interface."""
