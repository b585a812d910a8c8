import Foundation
import PackFormat
import Testing

@testable import PackUpdater

struct SharedBundleTests {
    let registry: TestRegistry
    let device: TestDevice
    static let vendor = "0.0.0-h0123456789abcdef"

    init() throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
    }

    func publish(_ version: Int, vendor: String, bundleVersion: String = vendor) throws -> [VersionID] {
        let bundle = try registry.publish("web-common", bundleVersion, ["v.js": vendor, "w.js": "same"], entry: nil)
        return try [bundle]
            + ["checkout", "admin"].map { package in
                let id = try registry.publish(
                    package, "1.\(version).0", ["index.html": "\(package) \(version)", "v.js": vendor],
                    shared: ["web-common": bundle], from: ["v.js": "web-common"])
                try registry.release(package, id, release: "\(package)-\(version)")
                return id
            }
    }

    @Test func `a bundle is fetched once for the packages that pin it, and no URL changes`() async throws {
        let ids = try publish(1, vendor: "vendor")
        let transport = WatchedTransport(FolderTransport(folder: registry.view))
        let report = try await device.updater(transport: transport).update(.all)
        #expect(report.failures.isEmpty)
        let paths = await transport.paths
        #expect(paths.filter { $0 == ViewPath.patch(from: nil, to: ids[0].manifest).description }.count == 1)
        for package in ["checkout", "admin"] { #expect(try await device.page(package, "v.js") == "vendor") }
        #expect(try device.listing().contains("unzipFiles/web-common/\(Self.vendor)/pack.json"))
        #expect(try device.state("web-common").active == nil)
    }

    @Test func `the next bundle comes as a patch, and the old one goes with its last user`() async throws {
        let old = try publish(1, vendor: "vendor")
        try await device.updater().update(.all)
        let new = try publish(2, vendor: "vendor 2", bundleVersion: "0.0.0-hfedcba9876543210")
        try registry.patch(from: old[0], to: new[0], manifest: true)
        let transport = WatchedTransport(FolderTransport(folder: registry.view))
        #expect(try await device.updater(transport: transport).update(.all).failures.isEmpty)
        #expect(await transport.paths.contains(ViewPath.patch(from: old[0].manifest, to: new[0].manifest).description))
        #expect(try await device.page("admin", "v.js") == "vendor 2")
        for package in ["checkout", "admin"] { try await device.confirm(package) }
        let three = try publish(3, vendor: "vendor 2", bundleVersion: "0.0.0-hfedcba9876543210")
        _ = three
        try await device.updater().update(.all)
        let bundles = try Durable.names(in: device.store.appending(path: "unzipFiles/web-common"))
        #expect(bundles == ["0.0.0-hfedcba9876543210"])
    }

    @Test func `a bundle whose publisher did not sign the pinned content fails its users alone`() async throws {
        let ids = try publish(1, vendor: "vendor")
        let plain = try registry.publish("plain", "1.0.0", ["index.html": "plain"])
        try registry.release("plain", plain, release: "p1")
        try registry.withdraw("web-common", ids[0])
        let report = try await device.updater().update(.all)
        #expect(report.failures.map(\.package.text) == ["admin", "checkout"])
        #expect(try await device.page("plain") == "plain")
    }

    @Test func `a bundle that the channel lists by its own version is not installed alone`() async throws {
        let ids = try publish(1, vendor: "vendor")
        try registry.release("web-common", ids[0], release: "b1")
        let report = try await device.updater().update(.all)
        #expect(report.entries.map(\.package.text) == ["admin", "checkout"])
    }
}
