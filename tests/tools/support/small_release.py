"""A release for the small trees that tests write: it names only a few folders, so that a tree of a few files is whole."""

import dataclasses

from msgspec.structs import replace

from tfcarve.releases import known
from tfcarve.releases.release import Release

# Other files of the trees that core_of() reads.
FILES = {
    "tensorflow/c/kernels/README": "",
    "tensorflow/core/framework/types.h": "",
    "tensorflow/core/kernels/README": "",
}


def small_release() -> Release:
    """Returns the default release without the sources that it names one by one; one source of the core is an override."""
    release = known.release()
    override = replace(release.overrides.core[0], path="tensorflow/core/framework/op.cc")
    return dataclasses.replace(
        release,
        tree=replace(release.tree, tsl="tensorflow/core"),
        index=replace(release.index, constant_files=(), skipped=()),
        core=replace(
            release.core,
            excluded=("tensorflow/c/",),
            mobile_folders=("tensorflow/core/framework/",),
            platform_sources=(),
            proto_roots=("tensorflow/core/",),
            on_demand=(),
            always=(),
        ),
        units=replace(
            release.units,
            folders=("tensorflow/core/kernels",),
            helper_folders=(),
            searched_folders=("tensorflow/core/kernels",),
            c_api_sources=(),
            with_environment=(),
            not_helpers={},
            excluded_folders={},
            excluded_sources={},
            libraries={},
        ),
        interfaces=replace(release.interfaces, **dict.fromkeys(release.interfaces.by_name, ())),
        overrides=replace(release.overrides, core=(override,), kernels=(), headers=()),
    )
