"""Generates the reference pages of the documentation and tests all of its pages.

Here: generators of the reference pages and of the README's figures; tests of pages, links and words.
Not here: the pages.
"""
