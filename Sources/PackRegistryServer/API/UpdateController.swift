import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PackFormat
import PackJSON
import PackRegistryAPI

/// `GET /v1/update`: tells clients without our updater which version a device should have.
///
/// The decision is the device's own (``RolloutDecision``). Nothing of the request is kept, and its query is not logged.
struct UpdateController {
    let state: ReleaseCache
    let view: ViewController
    /// What absolute URLs start with; without it they are relative to the request's.
    let publicURL: String?

    func addRoutes(to router: EndpointRouter) {
        router.add(Endpoints.update, update)
    }

    @Sendable func update(request: Request, context: RegistryRequestContext) async throws -> Response {
        let query = request.uri.queryParameters
        func required(_ name: String) throws -> String {
            guard let value = query[Substring(name)], !value.isEmpty else {
                throw Problem.badRequest("the parameter \"\(name)\" is missing")
            }
            return String(value)
        }
        let channel = try ChannelName(required("channel"))
        let package = try PackageID(required("package"))
        let device = try DeviceFacts(
            deviceID: required("device"), appVersion: query["app"].map { try SemanticVersion(String($0)) },
            platform: query["platform"].map(String.init), tags: Self.tags(query[values: "tag"]),
            osVersion: query["os"].map { try AppVersion(String($0)) }, locale: query["locale"].map(String.init),
            region: query["region"].map(String.init), model: query["model"].map(String.init),
            network: query["network"].map { try Self.network($0) })
        let releases = try await state.releases(of: package, on: channel)
        guard !releases.isEmpty else {
            throw Problem.notFound("the channel \(channel) offers no version of \(package)")
        }
        let decision = RolloutDecision(app: state.app, package: package, releases: releases, device: device)
        let current = query["current"].map(String.init)
        let body = try await document(decision, package: package, current: current)
        return try FileResponder.document(to: request, body)
    }

    private func document(
        _ decision: RolloutDecision, package: PackageID, current: String?
    ) async throws -> JSONObject {
        var document: JSONObject = [
            "package": .string(package.text),
            "steps": .array(
                decision.steps.map {
                    ["release": .string($0.release.id), "reason": .string($0.reason.description)] as JSONObject
                }.map { .object($0) }),
        ]
        guard let release = decision.release else {
            document["action"] = "none"
            document["reason"] = "no release admits the device"
            return document
        }
        document["release"] = .string(release.id)
        switch release.offer {
        case .embedded:
            document["action"] = "embedded"
            document["reason"] = "the channel goes back to what the app embeds"
        case .version(let version, let manifest):
            let isCurrent = current == version.description
            document["action"] = isCurrent ? "none" : "update"
            document["reason"] = .string(isCurrent ? "the device has it" : "the device takes \(version)")
            document["version"] = .string(version.description)
            document["manifest"] = .string(manifest.hex)
            document["site"] = .string(url(ViewLayout.site(package, version, "")))
            let path = ViewLayout.archive(package, version)
            if let archive = try await view.facts(path) {
                document["archive"] = .object([
                    "url": .string(url(path)), "sha256": .string(archive.digest.hex), "size": .integer(archive.size),
                ])
            }
        }
        return document
    }

    private static func network(_ text: Substring) throws -> NetworkKind {
        guard let kind = NetworkKind(rawValue: String(text)) else {
            throw Problem.badRequest("a network is unmetered or metered, not \"\(text)\"")
        }
        return kind
    }

    private func url(_ path: String) -> String {
        let path = path.replacing("+", with: "%2B")
        return (publicURL ?? "") + "/" + path
    }

    private static func tags(_ values: [Substring]) throws -> [String: String] {
        var tags: [String: String] = [:]
        for value in values {
            let parts = value.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw Problem.badRequest("a tag is KEY=VALUE, not \"\(value)\"") }
            tags[String(parts[0])] = String(parts[1])
        }
        return tags
    }
}
