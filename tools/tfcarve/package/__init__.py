"""Packages for app builds: xcframeworks for iOS, AARs for Android, Python wheels for Linux.

Here: XCFramework, AAR and wheel.
Not here: reading object files.
"""
