"""What app stores' build systems take: an xcframework for Xcode, an AAR for Gradle."""
