"""What tells the libraries of a test's run from those of others: the test replaces this file."""

RUN = "0"
