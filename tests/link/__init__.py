"""Link fragments for phones, linked with tools that are available without an NDK or Xcode."""
