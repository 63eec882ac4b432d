"""A repository with toolchains for Android and iOS on a machine without an NDK or Xcode."""

load("//rules/platforms:table.bzl", "PLATFORMS")

visibility("public")

_BUILD = """\
load("@rules_cc//cc:defs.bzl", "cc_toolchain")
load("{config}", "stand_in_config")

filegroup(name = "no_files")

stand_in_config(
    name = "config",
    compile_flags = {compile_flags},
    cpu = "{name}",
    include_directories = {include_directories},
    link_flags = {link_flags},
    os = "{os}",
    tools = {tools},
    triple = "{triple}",
)

cc_toolchain(
    name = "cc_toolchain",
    all_files = ":no_files",
    compiler_files = ":no_files",
    dwp_files = ":no_files",
    linker_files = ":no_files",
    objcopy_files = ":no_files",
    strip_files = ":no_files",
    toolchain_config = ":config",
)

toolchain(
    name = "toolchain",
    exec_compatible_with = ["@platforms//os:linux"],
    target_compatible_with = {constraints},
    toolchain = ":cc_toolchain",
    toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
    visibility = ["//visibility:public"],
)
"""

# libc++'s __config_site, which the wheel does not contain.
_LIBCXX = [
    "-D_LIBCPP_ABI_NAMESPACE=__1",
    "-D_LIBCPP_ABI_VERSION=1",
    "-D_LIBCPP_HARDENING_MODE_DEFAULT=2",
    "-D_LIBCPP_HAS_NO_VENDOR_AVAILABILITY_ANNOTATIONS",
    "-D_LIBCPP_PSTL_BACKEND_STD_THREAD",
]

# Value of @platforms//cpu -> the folders of musl's and the kernel's headers.
_CPU_HEADERS = {
    "aarch64": ["aarch64-linux-musl", "aarch64-linux-any"],
    "armv7": ["arm-linux-musl", "arm-linux-any"],
    "x86_32": ["x86-linux-musl", "x86-linux-any"],
    "x86_64": ["x86_64-linux-musl", "x86-linux-any"],
}

def _require(ctx, program, package):
    found = ctx.which(program)
    if not found:
        fail("{} is not on PATH, which the stand-in toolchains need; try: sudo apt-get install {}".format(program, package))
    return found

def _fetch_headers(ctx):
    python = _require(ctx, "python3", "python3")
    root = ctx.path(Label("//:MODULE.bazel")).dirname
    for way in ["local", "clients"]:
        done = ctx.execute(
            [python, "-m", "bootstrap.fetch_source", "--pins", ctx.path(Label("//tests/toolchains:sources.json"))] +
            ["--name", "ziglang", "--tree", ctx.path("."), "--from", way],
            environment = {
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONPATH": str(root.get_child("tools")),
                "TFCARVE_DISTDIR": ctx.os.environ.get("TFCARVE_DISTDIR", ""),
            },
            timeout = 3600,
        )
        if done.return_code == 0:
            return
    fail("could not fetch the headers of the stand-in toolchains: " + done.stderr.strip())

def _android(ctx, row, shims, bin):
    """Returns include folders, compiler flags and linker flags for Android."""
    jdk = _require(ctx, "javac", "openjdk-17-jdk-headless").realpath.dirname.dirname
    headers = [str(shims.get_child("android")), str(ctx.path("libcxx/include")), str(ctx.path("libcxxabi/include"))]
    headers += [
        str(ctx.path("libc/include/" + folder))
        for folder in _CPU_HEADERS[row.cpu][:1] + ["generic-musl"] + _CPU_HEADERS[row.cpu][1:] + ["any-linux-any"]
    ]
    headers += [str(jdk) + "/include", str(jdk) + "/include/linux"]
    folder = "stubs/" + row.triple
    ctx.file(folder + "/empty.c")
    for library in ["android", "c", "dl", "log", "m"]:
        stub = "%s/lib%s.so" % (folder, library)
        done = ctx.execute([
            bin.get_child("clang"),
            "--target=" + row.triple,
            "-fuse-ld=lld",
            "-nostdlib",
            "-shared",
            "-Wl,-soname,lib%s.so" % library,
            "-o",
            stub,
            folder + "/empty.c",
        ])
        if done.return_code:
            fail("could not link %s: %s" % (stub, done.stderr))
    return struct(
        headers = headers,
        # Android's <stdlib.h> includes <malloc.h>.
        compile = ["-D_LIBCPP_HAS_MUSL_LIBC", "-include", "malloc.h"],
        # The flags of the NDK's clang. Symbols of the C++ library, which it would link, stay undefined.
        link = [
            "-nostdlib",
            "-L" + str(ctx.path("stubs/" + row.triple)),
            "-Wl,--build-id=sha1",
            "-Wl,-z,relro,-z,now",
            "-lc",
        ],
    )

def _ios(ctx, shims):
    """Returns include folders, compiler flags and linker flags for iOS."""
    system = ctx.read("libc/darwin/libSystem.tbd")
    for old, new in {
        "arm64-macos": "arm64-ios, arm64-ios-simulator",
        "x86_64-macos": "x86_64-ios-simulator",
    }.items():
        system = system.replace(old, new)
    ctx.file("sdk/usr/lib/libSystem.tbd", system)
    for name, folder in {
        "Accelerate": "/System/Library/Frameworks/Accelerate.framework/",
        "CoreFoundation": "/System/Library/Frameworks/CoreFoundation.framework/",
        "libc++.1": "/usr/lib/",
        "libdl": "/usr/lib/",
        "libm": "/usr/lib/",
    }.items():
        stub = name.removesuffix(".1") + ".tbd"
        suffix = ".dylib" if name.startswith("lib") else ""
        ctx.file("sdk" + folder + stub, """\
--- !tapi-tbd
tbd-version:  4
targets:      [ arm64-ios, arm64-ios-simulator, x86_64-ios-simulator ]
install-name: '{}'
...
""".format(folder + name + suffix))
    return struct(
        headers = [
            str(shims.get_child("darwin")),
            str(ctx.path("libcxx/include")),
            str(ctx.path("libcxxabi/include")),
            str(ctx.path("libc/include/any-macos-any")),
        ],
        compile = [],
        # The stub of libc++ has no symbols: they are looked up at run time.
        link = [
            "-isysroot",
            str(ctx.path("sdk")),
            "-nostdlib",
            "-Wl,-undefined,dynamic_lookup",
            "-lc++",
            "-lSystem",
        ],
    )

def _stand_ins_impl(ctx):
    _fetch_headers(ctx)
    compiler = _require(ctx, "clang-19", "clang-19")
    _require(ctx, "ld.lld-19", "lld-19")
    archiver = _require(ctx, "llvm-ar-19", "llvm-19")
    bin = compiler.realpath.dirname
    shims = ctx.path(Label("//tests/toolchains:sources.json")).dirname.get_child("include")
    resources = ctx.execute([compiler, "-print-resource-dir"]).stdout.strip()
    ctx.file("BUILD.bazel")
    for name, row in PLATFORMS.items():
        if row.os == "linux":
            continue
        parts = _ios(ctx, shims) if row.os == "ios" else _android(ctx, row, shims, bin)
        includes = [flag for folder in parts.headers for flag in ["-isystem", folder]]
        target = ["--target=" + row.triple] + row.cpus.values()[0]
        ctx.file(name + "/BUILD.bazel", _BUILD.format(
            compile_flags = repr(target + ["-nostdinc++", "-nostdlibinc"] + _LIBCXX + includes + parts.compile),
            config = Label("//tests/toolchains:config.bzl"),
            constraints = repr([str(Label(label)) for label in row.constraints]),
            include_directories = repr(parts.headers + [resources]),
            link_flags = repr(target + ["-fuse-ld=lld"] + parts.link),
            name = name,
            os = row.os,
            tools = repr({
                "ar": str(bin.get_child("llvm-libtool-darwin") if row.os == "ios" else archiver.realpath),
                "cpp": str(bin.get_child("clang-cpp")),
                "gcc": str(bin.get_child("clang++")),
                "gcov": "/bin/false",
                "ld": str(bin.get_child("ld.lld")),
                "nm": str(bin.get_child("llvm-nm")),
                "objcopy": str(bin.get_child("llvm-objcopy")),
                "objdump": str(bin.get_child("llvm-objdump")),
                "strip": str(bin.get_child("llvm-strip")),
            }),
            triple = row.triple,
        ))

stand_ins = repository_rule(
    implementation = _stand_ins_impl,
    doc = "A package for each platform with its `toolchain`: Debian's clang and the headers of the wheel ziglang.",
    configure = True,
    environ = ["PATH", "TFCARVE_DISTDIR"],
)

def _extension_impl(_ctx):
    stand_ins(name = "stand_ins")

extension = module_extension(
    implementation = _extension_impl,
    doc = "The stand-in toolchains, in the repository `stand_ins`.",
)
