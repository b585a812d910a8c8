import HTTPTypes
import Hummingbird
import PackFormat

/// The question of a CodePush client, in the words of the newer clients (`package_hash`) or the older (`packageHash`).
struct CodePushQuery: Sendable {
    let key: CodePushKey
    /// As the client wrote it, which it wants back.
    let appVersion: String
    let packageHash: String?
    /// The version that runs, as the client was told.
    let label: String?
    /// Whether the app is one that shows every version (CodePush's companion app), so that its own version does not count.
    let isCompanion: Bool
    let facts: DeviceFacts

    /// - Throws: ``Problem`` for a question without a key or a version of the app, or with an unknown key.
    init(_ request: Request, isOlder: Bool, _ keys: CodePushKeyTable) throws(Problem) {
        let parameters = request.uri.queryParameters
        func text(_ name: String, _ older: String) throws(Problem) -> String? {
            let name = isOlder ? older : name
            guard let text = parameters[Substring(name)].map(String.init), !text.isEmpty else { return nil }
            return try DeviceText.checked(text, name)
        }
        guard let key = try text("deployment_key", "deploymentKey"), let app = try text("app_version", "appVersion")
        else { throw .badRequest("an update check must have a deployment key and the app's version") }
        self.key = try Self.key(key, keys)
        appVersion = app
        packageHash = try text("package_hash", "packageHash")
        label = try text("label", "label")
        isCompanion = try text("is_companion", "isCompanion")?.lowercased() == "true"
        facts = DeviceFacts(
            deviceID: try text("client_unique_id", "clientUniqueId") ?? "", appVersion: try? AppVersion(app))
    }

    static func key(_ text: String, _ keys: CodePushKeyTable) throws(Problem) -> CodePushKey {
        guard let key = keys.key(text) else { throw .notFound("the deployment key is not known here") }
        return key
    }
}
