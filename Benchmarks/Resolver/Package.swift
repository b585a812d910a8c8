// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "resolver-benchmark",
    platforms: [.macOS(.v15), .iOS(.v17)],
    dependencies: [.package(name: "packtool", path: "../..")],
    targets: [
        .executableTarget(name: "resolver", dependencies: [.product(name: "PackWeb", package: "packtool")])
    ],
    swiftLanguageModes: [.v6]
)
