"""The sections that tfcarve adds to libraries; registration_table.h and manifest.inc in tools/runtime declare them."""

from tfcarve.objfile import image
from tfcarve.objfile.image import Image, SectionName

# The library's registrations; the registrations in its sources that the selection excludes; its manifest.
TABLE = SectionName("tfcarve_table", "__tfcarve")
REFUSED = SectionName(".tfcarve.refused", "")
MANIFEST = SectionName(".tfcarve.manifest", "__tfcarve_info")


def images(data: bytes, where: str) -> tuple[Image, ...]:
    """Reads these sections of a built file: one image, or one for each slice of a universal file.

    Args:
      data: the file.
      where: its name, for messages.

    Raises:
      InvalidInput: it is of no known format, or damaged.
    """
    return image.images(data, where, (TABLE, REFUSED, MANIFEST))
