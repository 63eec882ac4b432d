"""The README's table of what is tested on each platform."""
