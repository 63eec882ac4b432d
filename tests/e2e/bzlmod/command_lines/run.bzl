"""The ID of the test's run: the test replaces this file."""

RUN = "0"
