"""Tests that build in the workspace of an app, as a user of tfcarve does."""
