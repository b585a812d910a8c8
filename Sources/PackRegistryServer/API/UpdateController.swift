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
    let desk: UpdateDesk
    let view: ViewController
    /// What absolute URLs start with; without it they are relative to the request's.
    let publicURL: String?

    func addRoutes(to router: EndpointRouter) {
        router.add(Endpoints.update, update)
    }

    @Sendable func update(request: Request, context: RegistryRequestContext) async throws -> Response {
        let query = DeviceQuery(request)
        let channel = try ChannelName(query.required("channel"))
        let package = try PackageID(query.required("package"))
        _ = try query.required("device")
        let question = try UpdateQuery(
            channel: channel, package: package, device: query.facts(groups: []), current: query["current"])
        guard let answer = try await desk.answer(question) else {
            throw Problem.notFound("the channel \(channel) offers no version of \(package)")
        }
        var body = try await document(answer)
        let policy = answer.policy
        if policy != .standard { body["policy"] = .object(policy.json) }
        return try FileResponder.document(to: request, body)
    }

    private func document(_ answer: UpdateAnswer) async throws -> JSONObject {
        let (package, decision) = (answer.query.package, answer.decision)
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
        document["set"] = release.set.map { .string($0) }
        switch release.offer {
        case .embedded:
            document["action"] = "embedded"
            document["reason"] = "the channel goes back to what the app embeds"
        case .version(let version, let manifest):
            let isCurrent = answer.isCurrent
            document["action"] = isCurrent ? "none" : "update"
            document["reason"] = .string(isCurrent ? "the device has it" : "the device takes \(version)")
            document["version"] = .string(version.description)
            document["manifest"] = .string(manifest.hex)
            document["site"] = .string(url(ViewLayout.site(package, version, "")))
            let path = ViewPath.archive(package, version).description
            if let archive = try await view.facts(path) {
                document["archive"] = .object([
                    "url": .string(url(path)), "sha256": .string(archive.digest.hex), "size": .integer(archive.size),
                ])
            }
        }
        return document
    }

    private func url(_ path: String) -> String {
        let path = path.replacing("+", with: "%2B")
        return (publicURL ?? "") + "/" + path
    }
}
