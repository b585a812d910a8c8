import Hummingbird
import PackFormat

/// What a request's query says of a device. Nothing of it is kept or logged.
struct DeviceQuery {
    private let request: Request

    init(_ request: Request) {
        self.request = request
    }

    subscript(_ name: String) -> String? { request.uri.queryParameters[Substring(name)].map(String.init) }

    func required(_ name: String) throws -> String {
        guard let value = self[name], !value.isEmpty else {
            throw Problem.badRequest("the parameter \"\(name)\" is missing")
        }
        return value
    }

    /// Without a device's id it is empty.
    /// - Parameter groups: of the channel that the device is in.
    func facts(groups: Set<String>) throws -> DeviceFacts {
        try DeviceFacts(
            deviceID: self["device"] ?? "", appVersion: self["app"].map { try AppVersion($0) },
            platform: self["platform"], tags: Self.tags(request.uri.queryParameters[values: "tag"]),
            osVersion: self["os"].map { try AppVersion($0) }, locale: self["locale"], region: self["region"],
            model: self["model"], network: self["network"].map { try Self.network($0) }, groups: groups)
    }

    private static func network(_ text: String) throws -> NetworkKind {
        guard let kind = NetworkKind(rawValue: text) else {
            throw Problem.badRequest("a network is unmetered or metered, not \"\(text)\"")
        }
        return kind
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
