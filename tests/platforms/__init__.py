"""What is proved of each platform, as a table of the README."""
