import Foundation
import PackFormat
import PackProxy
import PackWeb
import PackWebOnline

/// A proxy over one installed package, asked by curl, which knows nothing of us.
final class ProxyBench: SiteCatalog, SiteContent, @unchecked Sendable {
    let folder: URL
    let manifest: Manifest
    let proxy: LoopbackProxy
    let access: LoopbackProxy.Access
    /// The package's own, which its manifest would name as an origin; with it nothing is installed.
    var webSite: String?
    var api: [String: String] = [:]
    var loopbackServices: Set<String> = []

    private convenience init(
        _ folder: URL, _ manifest: Manifest, _ limits: ProxyLimits, _ authorities: String, _ native: NativeAnswers?
    ) async throws {
        let catalog = ProxyCatalog()
        let proxy = LoopbackProxy(
            pages: PageDirectory(catalog), online: NetworkLoader(native: native), limits: limits,
            authorities: authorities)
        try self.init(folder, manifest, proxy, await proxy.start(hosts: ["shop.package"]))
        catalog.bench = self
    }

    private init(_ folder: URL, _ manifest: Manifest, _ proxy: LoopbackProxy, _ access: LoopbackProxy.Access) throws {
        self.folder = folder
        self.manifest = manifest
        self.proxy = proxy
        self.access = access
        try Data(access.certificate.utf8).write(to: folder.appendingPathComponent("proxy.pem"))
    }

    static func make(
        _ files: [String: Data], limits: ProxyLimits = ProxyLimits(), authorities: String = "",
        native: NativeAnswers? = nil
    ) async throws -> ProxyBench {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("packproxy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var listed: [PackagePath: Manifest.File] = [:]
        for (path, data) in files {
            let digest = Digest(of: Array(data))
            try data.write(to: folder.appendingPathComponent(digest.hex))
            listed[try PackagePath(path)] = Manifest.File(digest: digest, size: data.count)
        }
        let manifest = try Manifest(
            package: PackageID("shop"), version: SemanticVersion("1.0.0"), entry: PackagePath("index.html"),
            files: listed)
        return try await ProxyBench(folder, manifest, limits, authorities, native)
    }

    func stop() async throws {
        try await proxy.stop()
        try FileManager.default.removeItem(at: folder)
    }

    var settings: WebSettings {
        var settings = WebSettings(
            packages: [manifest.package: WebSettings.Package(origins: webSite.map { [$0] } ?? [])],
            rules: WebRules([], api: (try? APIRoutes(api)) ?? .none))
        settings.loopbackServices = loopbackServices
        return settings
    }

    func content(of package: PackageID) throws -> (any SiteContent)? {
        package == manifest.package && webSite == nil ? self : nil
    }

    func file(for digest: Digest) throws -> URL { folder.appendingPathComponent(digest.hex) }

    /// Runs curl through the proxy.
    func curl(_ arguments: [String], credentials: String? = nil) throws -> (output: Data, exitCode: Int32) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        process.arguments =
            [
                "-sS", arguments.contains("--http2") ? "--http2" : "--http1.1", "--max-time", "30", "--cacert",
                folder.appendingPathComponent("proxy.pem").path, "--proxy",
                "http://127.0.0.1:\(access.port)", "--proxy-user", credentials ?? "\(access.user):\(access.password)",
            ] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (data, process.terminationStatus)
    }

    func curl(_ arguments: String..., credentials: String? = nil) throws -> (output: Data, exitCode: Int32) {
        try curl(arguments, credentials: credentials)
    }

    func text(_ arguments: String...) throws -> String { String(decoding: try curl(arguments).output, as: UTF8.self) }
}

/// Stands in for the bench while its proxy is made.
private final class ProxyCatalog: SiteCatalog, @unchecked Sendable {
    weak var bench: ProxyBench?

    var settings: WebSettings { bench?.settings ?? WebSettings() }
    func content(of package: PackageID) throws -> (any SiteContent)? { try bench?.content(of: package) }
}
