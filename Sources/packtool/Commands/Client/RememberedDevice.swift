import Foundation
import PackFormat
import PackJSON

/// The channel and the device facts that the last `client update` was given, in the store's `client.json`. The other commands
/// use them: without them they would be about another device than the one that was updated, and report on another channel.
struct RememberedDevice {
    private static let maximumByteCount = 65_536

    private let file: URL

    init(store: String) {
        file = URL(fileURLWithPath: store).appending(path: "client.json", directoryHint: .notDirectory)
    }

    func save(_ client: ClientOptions) throws {
        var json: JSONObject = [:]
        let facts = [
            "channel": client.channel, "device": client.device, "platform": client.platform,
            "appVersion": client.appVersion, "osVersion": client.facts.osVersion, "locale": client.facts.locale,
            "region": client.facts.region, "model": client.facts.model, "network": client.facts.network?.rawValue,
        ]
        for (key, value) in facts { json[key] = value.map { .string($0) } }
        if !client.tag.isEmpty { json["tags"] = .array(client.tag.map { .string($0) }) }
        // Nobody else's to read: it has the device's id.
        let new = file.appendingPathExtension("new")
        let isWritten = FileManager.default.createFile(
            atPath: new.path, contents: Data(JSONValue.object(json).prettyText.utf8),
            attributes: [.posixPermissions: 0o600])
        guard isWritten, rename(new.path, file.path) == 0 else {
            throw CommandFailure("\(file.path) cannot be written: is the disk full, or the folder another user's?")
        }
    }

    /// The options that the last update had and these have not: without them it would be another device, or another channel.
    func missing(in client: ClientOptions) -> [String] {
        var before = completing(client)
        if before.channel == ClientOptions.defaultChannel { before.channel = client.channel }
        let options = [
            ("--channel", client.channel, before.channel), ("--device", client.device, before.device),
            ("--platform", client.platform, before.platform), ("--app-version", client.appVersion, before.appVersion),
        ]
        return options.compactMap { name, now, before in now == nil ? before.map { "\(name) \($0)" } : nil }
            + (client.tag.isEmpty ? before.tag.map { "--tag \($0)" } : [])
    }

    /// A file that cannot be read counts as none.
    private var saved: JSONObject? {
        guard let data = FileManager.default.contents(atPath: file.path), data.count <= Self.maximumByteCount
        else { return nil }
        return try? JSONValue(parsing: Array(data)).object("the remembered device")
    }

    /// The options, with what was remembered in place of what is not given.
    func completing(_ client: ClientOptions) -> ClientOptions {
        guard let json = saved else { return client }
        func text(_ key: String) -> String? { try? json.string(key) }
        var client = client
        client.channel = client.channel ?? text("channel")
        client.device = client.device ?? text("device")
        client.platform = client.platform ?? text("platform")
        client.appVersion = client.appVersion ?? text("appVersion")
        client.facts.osVersion = client.facts.osVersion ?? text("osVersion")
        client.facts.locale = client.facts.locale ?? text("locale")
        client.facts.region = client.facts.region ?? text("region")
        client.facts.model = client.facts.model ?? text("model")
        client.facts.network = client.facts.network ?? text("network").flatMap(NetworkKind.init(rawValue:))
        if client.tag.isEmpty, let tags = try? json["tags"]?.array("tags") {
            client.tag = tags.compactMap { try? $0.string("tag") }.filter { $0.contains("=") }
        }
        return client
    }
}
