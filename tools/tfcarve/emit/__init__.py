"""Generates the files of a build from a selection: units, source lists, headers, link files. Writing them is for commands/."""
