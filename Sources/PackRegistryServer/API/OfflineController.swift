import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PackFormat
import PackJSON
import PackRegistryAPI

/// `GET /offline/manifest.json`: the files of a channel's packages in the form that older offline clients read.
/// `common` has shared files, `business` has each package's files, each with its URL and a version.
///
/// It is not signed: a client that wants more than the connection's word uses the updater.
struct OfflineController {
    let state: ReleaseCache
    let address: PublicAddress
    let reports: ConcurrencyGate

    func addRoutes(to router: EndpointRouter) {
        router.add(Endpoints.offlineManifest) { request, _ in try await reports.pass { try await manifest(request) } }
    }

    private func manifest(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        let channel = try ChannelName(query["channel"].map(String.init) ?? "stable")
        let device = try DeviceFacts(
            deviceID: query["device"].map(String.init) ?? "",
            appVersion: query["app"].map { try AppVersion(String($0)) })
        let base = address.base(for: request)
        var common: [String: JSONValue] = [:]
        var business: [JSONValue] = []
        let refusedSets = try await state.offers(on: channel)?.sets.refusals(app: state.app, device) ?? [:]
        for package in try await state.packages(on: channel) {
            let releases = try await state.releases(of: package, on: channel).filter {
                // Nobody in particular is asked for: only what everybody gets.
                !device.deviceID.isEmpty || $0.rollout.reachesEveryone
            }
            let decision = RolloutDecision(
                app: state.app, package: package, releases: releases, device: device, refusedSets: refusedSets)
            guard case .version(let version, _) = decision.release?.offer,
                let manifest = try await state.manifest(of: package, version)
            else { continue }
            var assets: [JSONValue] = []
            for path in manifest.sortedPaths {
                guard let file = manifest.files[path] else { continue }
                let (url, asset) = asset(path, file, of: manifest, base: base)
                if file.from == nil { assets.append(asset) } else { common[url] = asset }
            }
            business.append(
                .object([
                    "package": .string(package.text), "version": .string(version.description), "assets": .array(assets),
                ]))
        }
        let shared = common.sorted { $0.key < $1.key }.map(\.value)
        return try FileResponder.document(to: request, ["common": .array(shared), "business": .array(business)])
    }

    /// The URL is the one that pages ask for: under the package's first origin, else the online copy's.
    private func asset(
        _ path: PackagePath, _ file: Manifest.File, of manifest: Manifest, base: String
    ) -> (String, JSONValue) {
        let place = String(SitePath.requestPath(of: path).drop { $0 == "/" })
        let copy =
            "\(base)/\(ViewLayout.site(manifest.package, manifest.version, ""))".replacing("+", with: "%2B") + place
        let url = manifest.origins.first.map { $0 + place } ?? copy
        return (
            url,
            .object([
                // Of the content: a file that did not change is not fetched again.
                "url": .string(url), "version": .string(String(file.digest.hex.prefix(16))), "source": .string(copy),
                "sha256": .string(file.digest.hex), "size": .integer(file.size),
            ])
        )
    }
}
