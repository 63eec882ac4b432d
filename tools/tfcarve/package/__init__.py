"""Packages for app builds: xcframeworks for iOS, AARs for Android."""
