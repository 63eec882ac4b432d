"""Tests of tools/runtime."""
