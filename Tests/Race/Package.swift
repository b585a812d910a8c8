// swift-tools-version: 6.2
import PackageDescription

// The web side's tests alone, so that a sanitizer's build compiles what they need and not the whole project.
let package = Package(
    name: "race",
    platforms: [.macOS(.v15), .iOS(.v17)],
    dependencies: [.package(name: "packtool", path: "../..")],
    targets: [
        .testTarget(
            name: "PackWebTests", dependencies: [.product(name: "PackWeb", package: "packtool")],
            swiftSettings: [
                .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("ExistentialAny"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
