"""Link fragments for phones, linked by what can be had without an NDK or Xcode."""
