"""What a built library registers, and whether that is what its selection asks for."""
