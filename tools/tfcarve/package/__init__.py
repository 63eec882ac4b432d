"""Packages for app builds: xcframeworks for iOS, AARs for Android.

Here: XCFramework and AAR.
Not here: reading object files.
"""
