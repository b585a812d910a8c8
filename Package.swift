// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("ExistentialAny"),
        .treatAllWarnings(as: .error),
    ] + (Context.environment["PACKTOOL_TESTABLE"] == nil ? [] : [.unsafeFlags(["-enable-testing"])])

/// A release carries the Swift libraries, and names no library that it can load later. Only the last step is another one, so
/// that tests are of the same build. What the toolchain's static modules name by themselves follows.
let staticLink =
    ["-ld-path=\(Context.packageDirectory)/scripts/ld-as-needed", "-static-stdlib"]
    + [
        "swiftSynchronization", "CoreFoundation", "_FoundationICU", "_CFURLSessionInterface", "_FoundationCShims",
        "_FoundationCollections", "curl",
    ].map { "-l\($0)" }

/// The linker of the toolchain takes a third of the time of the system's. Programs and tests only: apps that use the
/// libraries link as they like.
let linker: [LinkerSetting] =
    Context.environment["PACKTOOL_LINK_STATIC"] == nil
    ? [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))]
    : [.unsafeFlags(staticLink, .when(platforms: [.linux]))]

/// A build without optimization (decision 56) optimizes the busy ones all the same: tests spend a third of their time in them, and
/// they are small. The compiler's last word counts, and `-Onone` stands before it.
let optimized =
    Context.environment["UNOPTIMIZED"] == nil
    ? [] : [SwiftSetting.unsafeFlags(["-Xfrontend", "-O"], .when(platforms: [.linux]))]

func module(_ name: String, _ dependencies: [Target.Dependency], isBusy: Bool = false) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings + (isBusy ? optimized : []))
}

/// Tests are not optimized. In the build of `make test` one process compiles a module of tests: each further one, and one for the
/// interface that nobody imports, would expand the macros of the whole module once more (decision 57).
let testOptions: [SwiftSetting] = [
    .unsafeFlags(["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"]),
    .unsafeFlags(["-driver-batch-count", "1", "-no-emit-module-separately"], .when(configuration: .release)),
]

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, swiftSettings: settings + testOptions,
        linkerSettings: linker)
}

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdHTTP2: Target.Dependency = .product(name: "HummingbirdHTTP2", package: "hummingbird")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let certificates: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let nioHTTP2: Target.Dependency = .product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let asyncHTTPClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
/// SQLite's own functions, of the library that GRDB uses.
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
/// A `WKWebView` has the network's requests too.
let webViewsOfApple: Target.Dependency = .target(
    name: "PackWebOnline", condition: .when(platforms: [.iOS, .macOS]))

/// What only Linux has, Android's too.
let linuxCalls: Target.Dependency = .target(name: "CSync", condition: .when(platforms: [.linux, .android]))

/// CZstd is zstd under one name. iOS has no libzstd, so a Mac takes zstd's own package, for all that it builds; the manifest is
/// evaluated on the host. Linux has the system's library.
#if os(macOS)
    let zstdPackages: [Package.Dependency] = [.package(url: "https://github.com/facebook/zstd", from: "1.5.6")]
    let zstd: Target = .target(
        name: "CZstd", dependencies: [.product(name: "libzstd", package: "zstd")], path: "Sources/CZstdApple")
#else
    let zstdPackages: [Package.Dependency] = []
    let zstd: Target = .systemLibrary(
        name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])])
#endif

/// `PACKTOOL_COMMIT` and `PACKTOOL_DATE` of the environment, for one C file.
let buildStamp = ["PACKTOOL_COMMIT", "PACKTOOL_DATE"].compactMap { name in
    Context.environment[name].map { CSetting.define(name, to: "\"\($0)\"") }
}

/// How scripts/build-libpackhost.sh links libpackhost.so: the Swift libraries inside, and no symbol but those of packhost.h.
/// A debug build has the toolchain's libraries.
let packhostLink: [LinkerSetting] =
    Context.environment["PACKTOOL_LINK_PACKHOST"] == nil
    ? []
    : [
        .unsafeFlags([
            "-Xlinker", "-soname=libpackhost.so.1", "-Xlinker",
            "--version-script=\(Context.packageDirectory)/Sources/PackHostC/packhost.map", "-Xlinker", "--no-undefined",
        ])
    ]

let package = Package(
    name: "packtool",
    platforms: [.macOS(.v15), .iOS(.v16)],
    products: [
        .executable(name: "packtool", targets: ["packtool"]),
        .executable(name: "tuf-client", targets: ["tuf-client"]),
        .library(name: "PackTrust", targets: ["PackTrust"]),
        .library(name: "PackKeys", targets: ["PackKeys"]),
        .library(name: "PackUpdater", targets: ["PackFormat", "PackUpdater", "PackUpdaterOnline"]),
        .library(name: "PackWeb", targets: ["PackFormat", "PackWeb", "PackWebOnline"]),
        .library(
            name: "PackHost",
            targets: ["PackFormat", "PackHost", "PackUpdater", "PackUpdaterOnline", "PackWeb", "PackWebOnline"]),
        .library(name: "PackProxy", targets: ["PackProxy"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ] + zstdPackages,
    targets: [
        // C libraries of the system.
        .systemLibrary(
            name: "CArchive", pkgConfig: "libarchive",
            providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CDeflate", pkgConfig: "libdeflate",
            providers: [.apt(["libdeflate-dev"]), .brew(["libdeflate"])]),
        .systemLibrary(name: "CZopfli", providers: [.apt(["libzopfli-dev"]), .brew(["zopfli"])]),
        zstd,
        .systemLibrary(
            name: "CLibPQ", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(name: "CPostgreSQL", dependencies: ["CLibPQ"]),
        .systemLibrary(name: "CSync"),
        // The commit that scripts/build-release.sh names.
        .target(name: "CBuildStamp", cSettings: buildStamp),
        // Named so that its functions stand before those that a shared FoundationNetworking calls.
        .target(
            name: "CCurlHandles",
            linkerSettings: [.linkedLibrary("curl", .when(platforms: [.linux]))]),

        // An arrow goes only down: scripts/check-sources.py has each module's floor.
        // Floor 0: JSON, and what the operating system does for all.
        module("PackJSON", [], isBusy: true),
        module("PackSystem", [linuxCalls], isBusy: true),
        module("PackAuthorities", ["CCurlHandles"]),

        // Floor 1: values that both ends must agree on.
        module("PackFormat", ["PackJSON", crypto], isBusy: true),

        // Floor 2: one hard job each.
        module("PackHTTP", ["PackFormat"]),
        module(
            "PackArchive", ["PackFormat", "PackSystem", "CArchive", "CDeflate", "CZlib", "CZopfli", crypto],
            isBusy: true),
        module("PackPatch", ["PackFormat", "PackJSON", "CZstd", crypto], isBusy: true),
        module("PackTrust", ["PackJSON", "PackSystem", crypto, cryptoExtras], isBusy: true),
        module("PackRegistryAPI", ["PackFormat", "PackJSON", "PackSystem"]),
        .target(
            name: "PackWeb", dependencies: ["PackFormat"],
            exclude: ["Hook/Script"],  // The source of EmbeddedHook.swift.
            swiftSettings: settings),

        // Floor 3: the product.
        module("PackBuilder", ["PackFormat", "PackJSON", "PackArchive", "PackSystem"]),
        module("PackRegistry", ["PackRegistryAPI", "PackFormat", "PackJSON", "PackPatch", "PackTrust"]),
        module("PackDashboard", ["PackRegistryAPI", "PackFormat"]),
        module("PackKeys", ["PackSystem", "PackTrust"]),
        module("PackUpdater", ["PackFormat", "PackJSON", "PackPatch", "PackSystem", "PackTrust", crypto]),
        module("PackWebOnline", ["PackFormat", "PackWeb"]),

        // Floor 4: what publishes, and what brings files to a registry and to devices.
        module(
            "PackPublisher",
            [
                "PackRegistryAPI", "PackRegistry", "PackFormat", "PackHTTP", "PackJSON", "PackArchive", "PackKeys",
                "PackPatch", "PackTrust", "PackSystem", crypto,
            ]),
        // The updater's network: URLSession, apart so that libpackhost does without it; it has libcurl.
        module("PackUpdaterOnline", ["PackFormat", "PackHTTP", "PackUpdater"]),
        .target(name: "CCurlExchange", linkerSettings: [.linkedLibrary("curl")]),
        module("PackCurl", ["CCurlExchange", "PackFormat", "PackSystem", "PackUpdater"]),

        // What an app imports: the updater and the web side, joined.
        module("PackHost", ["PackFormat", "PackJSON", "PackUpdater", "PackWeb", webViewsOfApple]),

        // A third way into a web view, apart so that NIO stays out of the others.
        module(
            "PackProxy",
            [
                "PackWeb", "PackWebOnline", "PackFormat", crypto, certificates, asn1, nioCore, nioPosix, nioHTTP1,
                nioHTTP2, nioSSL,
                nioTLS,
            ]),

        // The rows of a registry in SQL, which SQLite and PostgreSQL share; and files in S3-compatible storage.
        module(
            "PackRegistrySQL",
            ["PackRegistry", "PackRegistryAPI", "PackFormat", "PackJSON", "PackSystem", "PackTrust"]),
        module(
            "PackRegistryS3",
            [
                "PackRegistry", "PackRegistryAPI", "PackFormat", "PackJSON", "PackArchive", "PackSystem",
                asyncHTTPClient, crypto, nioCore, nioHTTP1, nioSSL,
            ]),

        // Floor 5: one registry in a folder, with SQLite; rows in PostgreSQL; and the server, which knows no database.
        module(
            "PackRegistryPostgres",
            ["PackRegistry", "PackRegistrySQL", "PackRegistryAPI", "PackFormat", "PackJSON", "CPostgreSQL"]),
        module(
            "PackRegistryLocal",
            [
                "PackRegistry", "PackRegistryAPI", "PackRegistrySQL", "PackPublisher", "PackFormat", "PackJSON",
                "PackArchive", "PackPatch",
                "PackTrust", "PackSystem", grdb, sqlite,
            ]),
        module(
            "PackRegistryServer",
            [
                "PackArchive", "PackDashboard", "PackRegistry", "PackRegistryAPI", "PackFormat", "PackJSON",
                "PackTrust",
                "PackSystem", crypto, cryptoExtras, logging, hummingbird, hummingbirdCore, hummingbirdHTTP2, nioCore,
                nioPosix,
                nioSSL, nioTLS,
                nioHTTP1,
                nioHTTPTypes, httpTypes, lifecycle, signals,
            ]),
        module(
            "PackDoctor",
            [
                "PackPublisher", "PackRegistryAPI", "PackFormat", "PackHTTP", "PackJSON", "PackKeys", "PackTrust",
                "PackWeb",
            ]),
        // What other systems' exports are, and how they come into a registry.
        module(
            "PackImporter",
            [
                "PackArchive", "PackBuilder", "PackFormat", "PackJSON", "PackPublisher", "PackRegistryAPI",
                "PackSystem",
            ]),

        // Floor 6: the commands.
        .executableTarget(
            name: "packtool",
            dependencies: [
                "PackFormat", "PackJSON", "PackArchive", "PackTrust", "PackBuilder", "PackRegistry",
                "PackRegistryAPI", "PackRegistryLocal", "PackRegistryPostgres", "PackRegistryS3", "PackRegistryServer",
                "PackPublisher", "PackKeys", "PackImporter", "PackDoctor",
                "PackUpdater", "PackUpdaterOnline",
                "PackHost", "PackSystem", "PackWeb", "PackWebOnline", "PackAuthorities", "CBuildStamp", arguments, asn1,
                crypto,
                logging,
                hummingbird, hummingbirdHTTP2, nioCore, nioSSL, httpTypes, lifecycle, signals,
            ],
            swiftSettings: settings, linkerSettings: linker),
        .executableTarget(
            name: "tuf-client", dependencies: ["PackTrust"],
            swiftSettings: settings, linkerSettings: linker),

        tests("PackJSONTests", ["PackJSON"]),
        tests("PackSystemTests", ["PackSystem"]),
        tests("PackFormatTests", ["PackFormat", "PackHTTP", "PackJSON", "TestSupport"]),
        tests("PackAuthoritiesTests", ["PackAuthorities"]),
        tests("PackArchiveTests", ["PackArchive", "PackFormat", "TestSupport"]),
        tests("PackPatchTests", ["AttackSupport", "PackPatch", "PackFormat"]),
        tests("PackTrustTests", ["PackKeys", "PackTrust", "PackJSON", "TestSupport", "tuf-client"]),
        tests("PackBuilderTests", ["PackBuilder", "PackArchive", "PackFormat"]),
        tests("PackImporterTests", ["PackImporter", "PackFormat", "PackRegistryAPI"]),
        tests(
            "PackRegistryTests",
            [
                "PackRegistry", "PackRegistryAPI", "PackRegistrySQL", "PackRegistryLocal", "PackRegistryPostgres",
                "PackRegistryS3", "PackRegistryServer", "PackPublisher",
                "PackArchive", "PackPatch", "PackTrust", "PackFormat", "PackJSON", "TestSupport", "PackUpdater",
                "PackUpdaterOnline", logging, nioCore, crypto, cryptoExtras,
            ]),
        tests(
            "PackRegistryS3Tests",
            [
                "PackRegistryS3", "PackRegistry", "PackRegistryAPI", "PackArchive", "PackFormat", "TestSupport",
                nioHTTP1,
            ]),
        tests("PackDashboardTests", ["PackDashboard", "PackRegistryAPI", "PackFormat", "TestSupport"]),
        tests(
            "PackUpdaterTests",
            [
                "AttackSupport", "PackCurl", "PackUpdater", "PackUpdaterOnline", "PackPatch", "PackSystem", "PackTrust",
                "PackFormat", "TestSupport",
            ]),
        tests("PackWebTests", ["PackWeb", "PackWebOnline", "PackFormat", "TestSupport"]),
        tests(
            "PackHostTests",
            ["PackHost", "PackUpdater", "PackUpdaterOnline", "PackWeb", "PackFormat", "TestSupport", "packtool"]),
        tests(
            "BrowserTests",
            [
                "PackWeb", "PackWebOnline", "PackFormat", "TestSupport", "packtool", hummingbird, nioCore, httpTypes,
                logging, lifecycle,
            ]),
        tests("PackProxyTests", ["PackProxy", "PackWeb", "PackWebOnline", "PackFormat", "TestSupport"]),
        .target(
            name: "TestSupport", dependencies: ["PackFormat", "PackWeb", asyncHTTPClient, nioCore, nioHTTP1, nioPosix],
            path: "Tests/TestSupport", swiftSettings: settings),
        .target(
            name: "AttackSupport", dependencies: ["PackFormat", "PackJSON", "PackPatch", "PackTrust", "TestSupport"],
            path: "Tests/AttackSupport",
            swiftSettings: settings),
        tests("packtoolTests", ["AttackSupport", "PackFormat", "PackJSON", "PackTrust", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)

// Floor 5: the device side for C, libpackhost (scripts/build-libpackhost.sh). From Swift 6.3 on the compiler compares the
// functions with their header.
#if compiler(>=6.3)
    package.products += [.library(name: "packhost", type: .dynamic, targets: ["PackHostC"])]
    package.targets += [
        .systemLibrary(name: "CPackHost"),
        .target(
            name: "PackHostC",
            dependencies: ["CPackHost", "PackCurl", "PackFormat", "PackHost", "PackJSON", "PackUpdater", "PackWeb"],
            exclude: ["packhost.map"], swiftSettings: settings, linkerSettings: linker + packhostLink),
        .testTarget(
            name: "PackHostCTests", dependencies: ["AttackSupport", "TestSupport", "packtool"], exclude: ["Programs"],
            swiftSettings: settings, linkerSettings: linker),
    ]
#endif

// Apple's platforms have their own web view: what an app imports there. On Linux scripts/check-types.sh type-checks it.
#if !os(Linux)
    package.products += [.library(name: "PackWebKit", targets: ["PackWebKit"])]
    package.targets += [
        module(
            "PackWebKit",
            [
                "PackFormat", "PackHost", "PackProxy", "PackUpdater", "PackUpdaterOnline", "PackWeb", "PackWebOnline",
            ])
    ]
#endif

// Kiosks run on Linux; Apple's platforms have their own web view. PACKTOOL_WITHOUT_KIOSK=1 builds the rest where WebKitGTK
// is not installed.
#if os(Linux)
    if Context.environment["PACKTOOL_WITHOUT_KIOSK"] == nil {
        package.products += [
            .executable(name: "packtool-kiosk", targets: ["packtool-kiosk"]),
            .library(name: "PackWebKitGTK", targets: ["PackWebKitGTK"]),
        ]
        package.targets += [
            .systemLibrary(
                name: "CWebKitGTK", pkgConfig: "webkit2gtk-4.1", providers: [.apt(["libwebkit2gtk-4.1-dev"])]),
            // Floor 4.
            module("PackWebKitGTK", ["PackWeb", "PackWebOnline", "CWebKitGTK"]),
            // Floor 6.
            .executableTarget(
                name: "packtool-kiosk",
                dependencies: [
                    "PackArchive", "PackFormat", "PackJSON", "PackHost", "PackUpdater", "PackUpdaterOnline", "PackWeb",
                    "PackWebOnline", "PackProxy",
                    "PackWebKitGTK", "PackAuthorities", "CBuildStamp",
                    arguments,
                ],
                swiftSettings: settings, linkerSettings: linker),
            tests(
                "PackKioskTests",
                [
                    "AttackSupport", "PackFormat", "PackHost", "PackJSON", "PackUpdater", "PackWebKitGTK", "CWebKitGTK",
                    "TestSupport", "packtool", "packtool-kiosk", arguments,
                ]),
        ]
    }
#endif
