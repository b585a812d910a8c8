import PackCurl
import PackFormat
import PackHost
import PackJSON
import PackUpdater

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The settings of `packhost_open`, as packhost.h lists them.
struct HostSettings {
    let configuration: PackHostConfiguration
    let network: NetworkKind?

    private static let known: Set<String> = [
        "store", "registry", "channel", "root", "rootFile", "app", "appVersion", "platform", "osVersion", "locale",
        "region", "model", "deviceID", "tags", "network", "presets", "activation", "starts", "readySeconds", "patience",
        "schemes", "rules", "loopback", "reports", "reportFacts",
    ]

    /// - Throws: `JSONError`, `FormatError` and ``CallFault``, which name the member.
    init(parsing text: String) throws {
        let json = try JSONValue(parsing: Array(text.utf8)).object("the settings")
        try json.refuseKeys(outside: Self.known)
        var updater = try UpdaterConfiguration(
            store: Self.folder(json.string("store"), "store"), base: Self.base(json.string("registry")),
            channel: ChannelName(json.optional("channel") ?? "stable"), root: Self.root(json), reach: .curl)
        updater.timeZone = { SystemTimeZone.now() }
        updater.app = try json.optional("app")
        updater.appVersion = try json.optional("appVersion").map { try AppVersion($0) }
        updater.platform = try json.optional("platform")
        updater.osVersion = try json.optional("osVersion").map { try AppVersion($0) }
        updater.locale = try json.optional("locale")
        updater.region = try json.optional("region")
        updater.model = try json.optional("model")
        updater.deviceID = try json.optional("deviceID")
        for tag in try json["tags"]?.object("tags").members ?? [] {
            updater.tags[tag.key] = try tag.value.string("tags.\(tag.key)")
        }
        updater.presets = try json.texts("presets").map { try Self.folder($0, "presets") }
        updater.activation = try Self.activation(json.optional("activation"))
        updater.maximumUnconfirmedStarts = try json.number("starts", 1...1000) ?? 2
        updater.readyDeadline = try json.number("readySeconds", 1...86_400).map { .seconds($0) }
        updater.patience = .seconds(try json.number("patience", 0...86_400) ?? 60)
        let facts = try json["reportFacts"]?.bool("reportFacts") ?? false
        if try json["reports"]?.bool("reports") == true {
            updater.reports = ReportSettings(includesFacts: facts)
        } else if facts {
            throw CallFault.wrongArgument("\"reportFacts\" needs \"reports\": true")
        }
        var configuration = PackHostConfiguration(
            updater: updater, schemes: Set(try json.texts("schemes").map { $0.lowercased() }))
        if let rules = json["rules"] {
            configuration.rules = try WebRules(parsing: Array(JSONValue.object(rules.object("rules")).compactText.utf8))
        }
        configuration.loopbackServices = Set(try json.texts("loopback").map { $0.lowercased() })
        self.configuration = configuration
        network = try json.optional("network").map { text in
            guard let kind = NetworkKind(rawValue: text) else {
                throw CallFault.wrongArgument("\"network\" must be \"metered\" or \"unmetered\", not \"\(text)\"")
            }
            return kind
        }
    }

    private static func folder(_ path: String, _ name: String) throws(CallFault) -> URL {
        guard !path.isEmpty else { throw .wrongArgument("\"\(name)\" has an empty path") }
        return URL(fileURLWithPath: path)
    }

    /// An address as it is; of a registry's folder its `view`.
    private static func base(_ place: String) throws(CallFault) -> URL {
        guard place.hasPrefix("http://") || place.hasPrefix("https://") else {
            let folder = try folder(place, "registry")
            let view = folder.appending(path: "view")
            return FileManager.default.fileExists(atPath: view.path) ? view : folder
        }
        // Without Foundation's tables no `URL` has another host.
        guard place.drop(while: { $0 != ":" }).dropFirst(3).prefix(while: { !"/?#".contains($0) }).allSatisfy(\.isASCII)
        else { throw .wrongArgument("the host of \"registry\" must be in ASCII, as xn--…: \"\(place)\"") }
        guard let url = URL(string: place), url.host()?.isEmpty == false else {
            throw .wrongArgument("\"registry\" is not an address: \"\(place)\"")
        }
        return url
    }

    private static func root(_ json: JSONObject) throws -> [UInt8]? {
        if let text = try json.optional("root") { return Array(text.utf8) }
        guard let path = try json.optional("rootFile") else { return nil }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CallFault.wrongArgument("the root file \(path) cannot be read")
        }
        return Array(bytes)
    }

    private static func activation(_ text: String?) throws(CallFault) -> UpdaterConfiguration.Activation {
        switch text {
        case nil, "next-start": .nextStart
        case "at-once": .atOnce
        case let text?:
            throw .wrongArgument("\"activation\" must be \"next-start\" or \"at-once\", not \"\(text)\"")
        }
    }
}

extension JSONObject {
    fileprivate func optional(_ key: String) throws(JSONError) -> String? { try self[key]?.string(key) }

    fileprivate func texts(_ key: String) throws(JSONError) -> [String] {
        try (self[key]?.array(key) ?? []).map { value throws(JSONError) in try value.string(key) }
    }

    fileprivate func number(_ key: String, _ range: ClosedRange<Int>) throws -> Int? {
        guard let number = try self[key]?.integer(key) else { return nil }
        guard range.contains(number) else {
            throw CallFault.wrongArgument(
                "\"\(key)\" must be from \(range.lowerBound) to \(range.upperBound), not \(number)")
        }
        return number
    }
}
