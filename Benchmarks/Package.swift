// swift-tools-version: 6.2
import PackageDescription

// The inner loops of packtool by themselves. The modules are those of the project (links in Sources/), built here as parts
// of this package, so that nothing needs to be public only to be measured. The device's decision is internal to
// PackUpdater: it is built with -enable-testing, also for release.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")

let package = Package(
    name: "packtool-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")],
    targets: [
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd"),
        .systemLibrary(name: "CSync"),
        .target(name: "PackJSON", swiftSettings: settings),
        .target(name: "PackFormat", dependencies: ["PackJSON", crypto], swiftSettings: settings),
        .target(
            name: "PackPatch", dependencies: ["PackFormat", "PackJSON", "CZstd", crypto], swiftSettings: settings),
        .target(
            name: "PackWeb", dependencies: ["PackFormat"], exclude: ["Hook/Script"], swiftSettings: settings),
        .target(name: "PackSystem", dependencies: ["CSync"], swiftSettings: settings),
        .target(
            name: "PackTrust", dependencies: ["PackJSON", "PackSystem", crypto, cryptoExtras], swiftSettings: settings),
        .target(
            name: "PackUpdater",
            dependencies: ["PackFormat", "PackJSON", "PackPatch", "PackSystem", "PackTrust", crypto],
            swiftSettings: settings + [.unsafeFlags(["-enable-testing"])]),
        .target(name: "TestSupport", swiftSettings: settings),
        .executableTarget(name: "resolver", dependencies: ["PackFormat", "PackWeb"], swiftSettings: settings),
        .executableTarget(name: "patch-sizes", dependencies: ["PackFormat", "PackPatch"], swiftSettings: settings),
        .executableTarget(
            name: "inner-loops", dependencies: ["PackJSON", "PackFormat", "PackPatch"], swiftSettings: settings),
        .executableTarget(name: "fleet", dependencies: ["PackFormat", "TestSupport"], swiftSettings: settings),
        .executableTarget(
            name: "rollout", dependencies: ["PackFormat", "PackUpdater", "TestSupport", crypto],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
