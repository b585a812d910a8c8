import HTTPTypes
import Hummingbird
import PackFormat
import PackJSON

/// Answers `cordova-plugin-ionic`, the client of Ionic Appflow for Cordova and Capacitor. The app's `UPDATE_API` is
/// `…/adapters/ionic`, and its app id the package.
///
/// The client copies what the app brought, and writes the files of a list over it. It does not check them.
struct IonicAdapter: Adapter {
    private static let maximumByteCount = 64 << 10
    /// The client looks for this text in the path of what runs: a version's name could be part of another one.
    private static let snapshotLength = 32

    private let tools: AdapterTools
    private let files: IonicFiles

    init(tools: AdapterTools) {
        self.tools = tools
        files = IonicFiles(tools: tools)
    }

    func response(
        to request: Request, path: ArraySlice<String>, _ context: RegistryRequestContext
    ) async throws -> Response {
        let parts = Array(path)
        guard parts.count == 4, parts[0] == "apps", parts[2] == "channels", parts[3] == "check-device" else {
            return try await files.response(to: request, path: parts)
        }
        guard request.method == .post else { throw Problem.methodNotAllowed([.post]) }
        return try await check(parts[1], request, context)
    }

    /// The client reads this form only.
    func answer(to problem: Problem) -> Response {
        .adapterJSON(
            ["error": .object(["message": .string(ProblemText.cut(problem.detail))])], status: problem.status)
    }

    private func check(
        _ name: String, _ request: Request, _ context: RegistryRequestContext
    ) async throws -> Response {
        guard let package = try? PackageID(name) else { throw Problem.notFound("the app id is no package") }
        let body = try await tools.body(of: request, context, upTo: Self.maximumByteCount).object("the body")
        let device = try body["device"]?.object("device") ?? [:]
        let query = UpdateQuery(
            channel: try channel(body), package: package, device: try Self.facts(device),
            // A snapshot is no version: what runs is compared below.
            current: nil)
        guard let answer = try await tools.desk.answer(query), answer.offer.isEnabled else { return Self.nothing() }
        guard let release = answer.decision.release, case .version(let version, let digest) = release.offer else {
            return Self.nothing(isAppTooOld: answer.neededApp != nil)
        }
        let snapshot = String(digest.hex.prefix(Self.snapshotLength))
        guard device.looseText("snapshot") != snapshot,
            let manifest = try await tools.manifest(of: package, version), IonicFiles.canList(manifest)
        else { return Self.nothing(isAppTooOld: answer.neededApp != nil) }
        return .adapterJSON([
            "data": .object([
                "available": true, "compatible": true, "partial": false, "incompatibleUpdateAvailable": false,
                "snapshot": .string(snapshot), "build": .string(release.id),
                "url": .string(tools.address.url(IonicFiles.path(of: manifest), for: request)),
            ])
        ])
    }

    private static func nothing(isAppTooOld: Bool = false) -> Response {
        .adapterJSON([
            "data": .object([
                "available": false, "compatible": true, "partial": false,
                "incompatibleUpdateAvailable": .bool(isAppTooOld),
            ])
        ])
    }

    private func channel(_ body: JSONObject) throws -> ChannelName {
        guard let name = body.looseText("channel_name") else { return tools.settings.channel }
        guard let channel = try? ChannelName(name) else {
            throw Problem.badRequest("\"\(name)\" is no name of a channel: choose one of small letters and digits")
        }
        return channel
    }

    private static func facts(_ device: JSONObject) throws -> DeviceFacts {
        func text(_ key: String) throws -> String? {
            try DeviceText.checked(device.looseText(key), key)
        }
        return DeviceFacts(
            deviceID: try text("device_id") ?? "",
            appVersion: try text("binary_version").flatMap { try? AppVersion($0) },
            platform: try text("platform")?.lowercased(),
            osVersion: try text("platform_version").flatMap { try? AppVersion($0) })
    }
}
