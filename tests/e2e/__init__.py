"""Tests that build in a nested app's workspace, as a user of tfcarve does."""
