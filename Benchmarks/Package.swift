// swift-tools-version: 6.2
import PackageDescription

// The inner loops of packtool by themselves. The modules are those of the project (links in Sources/), built here as parts
// of this package, so that nothing needs to be public only to be measured.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")

let package = Package(
    name: "packtool-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")],
    targets: [
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd"),
        .target(name: "PackJSON", swiftSettings: settings),
        .target(name: "PackFormat", dependencies: ["PackJSON", crypto], swiftSettings: settings),
        .target(name: "PackPatch", dependencies: ["PackFormat", "CZstd", crypto], swiftSettings: settings),
        .target(
            name: "PackWeb", dependencies: ["PackFormat"], exclude: ["Hook/Script"], swiftSettings: settings),
        .executableTarget(name: "resolver", dependencies: ["PackFormat", "PackWeb"], swiftSettings: settings),
        .executableTarget(name: "patch-sizes", dependencies: ["PackFormat", "PackPatch"], swiftSettings: settings),
        .executableTarget(
            name: "inner-loops", dependencies: ["PackJSON", "PackFormat", "PackPatch"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
