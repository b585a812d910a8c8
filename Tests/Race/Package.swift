// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]
let packWeb: Target.Dependency = .product(name: "PackWeb", package: "packtool")

/// The web side's tests alone, so that a sanitizer's build compiles what they need and not the whole project.
let package = Package(
    name: "race",
    platforms: [.macOS(.v15), .iOS(.v17)],
    dependencies: [.package(name: "packtool", path: "../..")],
    targets: [
        // What these tests use of it.
        .target(name: "TestSupport", dependencies: [packWeb], path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(name: "PackWebTests", dependencies: ["TestSupport", packWeb], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
