// swift-tools-version:5.7

import PackageDescription

// The module of the C interface is the framework of an xcframework on iOS, and a library of the system here.
let package = Package(
  name: "Check",
  targets: [
    .systemLibrary(name: "TensorFlowCore"),
    .target(
      name: "TensorFlowCarved", dependencies: ["TensorFlowCore"],
      linkerSettings: [.unsafeFlags(["-Llib", "-Xlinker", "-rpath", "-Xlinker", "/check/lib"])]),
    .executableTarget(name: "Check", dependencies: ["TensorFlowCarved"]),
  ]
)
