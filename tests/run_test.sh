#!/bin/sh
# Runs a test with the priority that its target sets (tests/nested_test.bzl), or with a low one.
exec nice -n "${TFCARVE_NICE:-12}" "$@"
