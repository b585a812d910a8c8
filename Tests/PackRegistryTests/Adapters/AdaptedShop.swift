import Foundation
import PackFormat
import PackJSON

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// A shop whose server answers clients of other systems. Its channel beta offers checkout 1.0.0 and 1.1.0 to everyone,
/// and till 1.0.0, which has a file of a shared bundle.
struct AdaptedShop {
    static let vendor = "window.vendor = 1"
    static let tillFiles = ["index.html": "<h1>till</h1>", "js/é a.js": "export {}", "empty.txt": ""]

    let shop: Shop
    /// By version.
    let sites: [String: Site]
    let till: Site

    static func make() async throws -> AdaptedShop {
        let shop = try await Shop()
        var sites = ["1.0.0": try shop.page("1.0.0"), "1.1.0": try shop.page("1.1.0"), "1.2.0": try shop.page("1.2.0")]
        sites["2.0.0"] = try Site(
            "checkout", "2.0.0", ["index.html": "<h1>two</h1>"], app: ">=5.0.0", in: shop.folder)
        let common = try Site("common", "1.0.0", ["vendor.js": vendor], entry: nil, in: shop.folder)
        let till = try Site(
            "till", "1.0.0", tillFiles, bundles: [common], shared: ["static/vendor.js": ("common", vendor)],
            in: shop.folder)
        try await shop.publisher().publish([common.zip, till.zip] + sites.values.map(\.zip))
        let made = AdaptedShop(shop: shop, sites: sites, till: till)
        try await made.offer("1.0.0")
        try await made.offer("1.1.0")
        try await made.change(.offer(version("1.0.0"), .everyone), of: "till")
        return made
    }

    func offer(_ text: String, _ percent: Int = 100) async throws {
        try await change(.offer(version(text), Rollout(percent: percent)))
    }

    func change(_ change: ChannelChange, of name: String = "checkout") async throws {
        _ = try await shop.registry.change(change, of: package(name), on: channel())
    }

    /// The id of the newest release of checkout.
    func release() async throws -> String {
        try await shop.registry.overview(of: []).channels[channel()]?[package()]?.first?.id ?? ""
    }

    /// Publishes one more version of checkout, and offers it to everyone.
    func publish(_ version: String, _ files: [String: String], policy: ClientPolicy? = nil) async throws {
        let site = try Site("checkout", version, files, in: shop.folder)
        try await shop.publisher().publish([site.zip])
        try await change(.offer(SemanticVersion(version), .everyone, policy: policy))
    }

    func digest(_ version: String, _ path: String) throws -> String {
        try sites[version]?.manifest.files[PackagePath(path)]?.digest.hex ?? ""
    }

    func serving<Result: Sendable>(
        _ kind: AdapterKind, limits: ServerLimits = ServerLimits(),
        _ settings: (inout AdapterSettings) -> Void = { _ in },
        _ body: @escaping @Sendable (RunningServer) async throws -> Result
    ) async throws -> Result {
        var adapters = try AdapterSettings(channel: channel())
        adapters.kinds = [kind]
        settings(&adapters)
        return try await RunningServer.with(shop.local, limits: limits, adapters: adapters, body)
    }
}

extension RunningServer {
    /// Sends a JSON object, as these clients do.
    func send(
        _ body: JSONObject, to path: String, _ method: String = "POST", _ fields: [String: String] = [:]
    ) async throws -> RawAnswer {
        let fields = ["Content-Type": "application/json; charset=utf-8"].merging(fields) { $1 }
        return try await ask(method, path, fields, body: Array(JSONValue.object(body).compactText.utf8))
    }
}
