import HTTPTypes
import Hummingbird
import NIOCore
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI
import Synchronization

/// Answers CodePush's clients for Cordova and Capacitor. The app's server URL is `…/adapters/codepush/`, or the server's
/// own root as it was with CodePush's server.
final class CodePushAdapter: Adapter {
    private static let version = "v0.1"
    /// The first components of the protocol's paths. Older clients know no version.
    static let roots: Set = [version, "updateCheck", "reportStatus"]

    /// A version never changes, so its name stands for what takes time to make.
    private struct HashKey: Hashable {
        let version: VersionName
        let folder: CodePushKey.Folder
    }

    private struct Hashes {
        /// By which the clients know the version.
        let files: String
        let manifest: Digest
    }

    private let tools: AdapterTools
    private let reports: CodePushReports
    private let known = Mutex(RecentCache<HashKey, Hashes>(maximumCount: 512))

    init(tools: AdapterTools) {
        self.tools = tools
        reports = CodePushReports(tools: tools)
    }

    func response(
        to request: Request, path: ArraySlice<String>, _ context: RegistryRequestContext
    ) async throws -> Response {
        let name = path.joined(separator: "/").replacing("\(Self.version)/public/codepush/", with: "")
        switch (name, request.method) {
        case ("update_check", .get): return try await check(request, isOlder: false)
        case ("updateCheck", .get): return try await check(request, isOlder: true)
        case ("report_status/deploy", .post), ("reportStatus/deploy", .post):
            return try await reports.takeDeployment(request, context)
        case ("report_status/download", .post), ("reportStatus/download", .post):
            return try await reports.takeDownload(request, context)
        case ("update_check", _), ("updateCheck", _): throw Problem.methodNotAllowed([.get])
        case ("report_status/deploy", _), ("reportStatus/deploy", _), ("report_status/download", _),
            ("reportStatus/download", _):
            throw Problem.methodNotAllowed([.post])
        default: throw Problem.notFound("there is nothing at this path")
        }
    }

    /// The clients show the body as it is.
    func answer(to problem: Problem) -> Response {
        .adapterText(ProblemText.cut(problem.detail), status: problem.status)
    }

    // MARK: The check

    private func check(_ request: Request, isOlder: Bool) async throws -> Response {
        let query = try CodePushQuery(request, isOlder: isOlder, tools.settings.codePushKeys)
        let info = try await info(for: query, request)
        return .adapterJSON(isOlder ? ["updateInfo": .object(info.olderJSON)] : ["update_info": .object(info.json)])
    }

    private func info(for query: CodePushQuery, _ request: Request) async throws -> CodePushUpdateInfo {
        let running = try await running(query)
        let question = UpdateQuery(
            channel: query.key.channel, package: query.key.package, device: query.facts,
            current: running?.version.description, runsAnyVersion: query.isCompanion)
        guard let answer = try await tools.desk.answer(question), answer.offer.isEnabled else { return .none }
        switch answer.decision.release?.offer {
        case .version(let version, _) where !answer.isCurrent:
            guard let manifest = try await tools.manifest(of: query.key.package, version) else { return .none }
            let hash = hashes(of: manifest, in: query.key.folder).files
            // The binary's own pages may be the version's.
            guard hash != query.packageHash else { return .none }
            let (archive, file) = try await archive(of: manifest, in: query.key.folder, from: running)
            var info = CodePushUpdateInfo.none
            info.isAvailable = true
            info.isMandatory = answer.policy.isMandatory
            info.label = version.description
            info.packageHash = hash
            info.packageSize = file.size
            info.downloadURL = tools.address.url(SiteArchiveController.path(of: archive), for: request)
            // Older clients compare it with their own version.
            info.range = query.appVersion
            return info
        case .embedded:
            var info = CodePushUpdateInfo.none
            info.shouldRunBinary = true
            return info
        case .version, nil:
            guard let range = answer.neededApp else { return .none }
            var info = CodePushUpdateInfo.none
            info.needsNewerApp = true
            info.range = range.description
            return info
        }
    }

    /// The version that the client runs, if it is one of ours with these files.
    private func running(_ query: CodePushQuery) async throws -> Manifest? {
        guard let hash = query.packageHash, let version = query.label.flatMap({ try? SemanticVersion($0) }),
            let manifest = try await tools.manifest(of: query.key.package, version),
            hashes(of: manifest, in: query.key.folder).files == hash
        else { return nil }
        return manifest
    }

    /// What the client is to fetch: what changed, where it has one of our versions, else everything.
    private func archive(
        of manifest: Manifest, in folder: CodePushKey.Folder, from base: Manifest?
    ) async throws -> (SiteArchive, ServedFile) {
        let digest = hashes(of: manifest, in: folder).manifest
        let changes = base.flatMap { base -> SiteArchive? in
            let isAnyKept = manifest.files.contains { base.files[$0]?.digest == $1.digest }
            // After a zip of changes clients check the hash, and on iOS they get it wrong for such paths.
            let isPlain = manifest.files.keys.allSatisfy { $0.text.utf8.allSatisfy { $0 < 0x80 } }
            guard isAnyKept, isPlain else { return nil }
            return SiteArchive(
                of: manifest, digest: digest, in: folder.rawValue, from: base,
                baseDigest: hashes(of: base, in: folder).manifest)
        }
        let archive = changes ?? SiteArchive(of: manifest, digest: digest, in: folder.rawValue)
        return (archive, try await tools.archives.file(archive))
    }

    private func hashes(of manifest: Manifest, in folder: CodePushKey.Folder) -> Hashes {
        let key = HashKey(version: VersionName(manifest.package, manifest.version), folder: folder)
        if let found = known.withLock({ $0.value(for: key) }) { return found }
        let hashes = Hashes(files: CodePushHash.hash(of: manifest, in: folder.rawValue), manifest: manifest.digest)
        known.withLock { $0.insert(hashes, for: key) }
        return hashes
    }
}
