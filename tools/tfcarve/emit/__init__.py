"""Generates the files of a build from a selection: units, source lists, headers, link files. Writing them is for commands/.

Here: from a selection to text: header, op files, units, link fragments.
Not here: deciding what is needed.
"""
