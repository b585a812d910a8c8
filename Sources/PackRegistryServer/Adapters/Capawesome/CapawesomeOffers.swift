import HTTPTypes
import Hummingbird
import PackFormat
import PackJSON
import Synchronization

/// What a Capawesome client gets to fetch: single files by a list, or a zip.
///
/// A list is the better of the two: the client fetches only what it does not have.
final class CapawesomeOffers: Sendable {
    private struct Step: Hashable {
        let from: SemanticVersion?
        let to: VersionName
    }

    private let tools: AdapterTools
    /// Whether clients can take a step by a list. Many ask for the same one.
    private let known = Mutex(RecentCache<Step, Bool>(maximumCount: 512))

    init(tools: AdapterTools) {
        self.tools = tools
    }

    /// The answer also names a version that runs already: the client compares it.
    func offer(
        _ version: SemanticVersion, of answer: UpdateAnswer, to device: CapawesomeDevice, _ request: Request
    ) async throws -> Response {
        let package = answer.query.package
        guard let manifest = try await tools.manifest(of: package, version) else {
            throw Problem.notFound("the publisher of \(package) \(version) withdrew it")
        }
        guard CapawesomeFiles.hasPages(manifest) else {
            throw Problem.notFound("the entry of \(package) \(version) is not index.html")
        }
        var document: JSONObject = [
            "bundleId": .string(version.description), "channelName": .string(answer.query.channel.text),
        ]
        // The app can read it, and the client does nothing by it.
        if answer.policy.isMandatory { document["customProperties"] = .object(["mandatory": "true"]) }
        if device.readsFileLists, try await canTakeList(of: manifest, device.current) {
            document["artifactType"] = "manifest"
            document["url"] = .string(tools.address.url(CapawesomeFiles.path(of: manifest), for: request))
        } else {
            let zip = try await tools.zip(of: manifest, isNeeded: !answer.isCurrent)
            document["artifactType"] = "zip"
            document["checksum"] = zip.digest.map { .string($0.hex) }
            document["url"] = .string(tools.address.url(zip.path, for: request))
        }
        return .adapterJSON(document)
    }

    private func canTakeList(of manifest: Manifest, _ current: String?) async throws -> Bool {
        let running = current.flatMap { try? SemanticVersion($0) }
        // Nobody knows what a bundle of another server has.
        guard current == nil || running != nil else { return false }
        let step = Step(from: running, to: VersionName(manifest.package, manifest.version))
        if let can = known.withLock({ $0.value(for: step) }) { return can }
        let base = if let running { try await tools.manifest(of: manifest.package, running) } else { nil as Manifest? }
        guard base != nil || running == nil else { return false }
        let can = CapawesomeFiles.canList(manifest, from: base)
        known.withLock { $0.insert(can, for: step) }
        return can
    }
}
