/// The devices that a release is for: those that meet all conditions.
///
/// As a text, conditions separated by `;`: `platform=ios,android; app>=3.2 <5; os>=17; locale=de,fr; region=DE;
/// model=iPhone14*; network=unmetered; tag.tier=gold; device=ID; device!=ID`.
public struct Audience: Hashable, Sendable, CustomStringConvertible {
    public let conditions: [Condition]

    public init(conditions: [Condition]) {
        self.conditions = conditions
    }

    /// - Throws: ``FormatError/invalidAudience(_:reason:)``
    public init(_ text: String) throws(FormatError) {
        var conditions: [Condition] = []
        for part in text.split(separator: ";") {
            let part = part.trimmingSpaces
            guard !part.isEmpty else { continue }
            conditions.append(try Self.condition(String(part), of: text))
        }
        guard !conditions.isEmpty else { throw .invalidAudience(text, reason: "it says nothing") }
        self.conditions = conditions
    }

    public var description: String { conditions.map(\.audienceText).joined(separator: "; ") }

    /// Why a device is not admitted; nil if it is.
    func refusal(of device: DeviceFacts) -> String? {
        for condition in conditions {
            if let refusal = condition.refusal(of: device) { return refusal }
        }
        return nil
    }

    private static func condition(_ part: String, of text: String) throws(FormatError) -> Condition {
        func invalid(_ reason: String) -> FormatError { .invalidAudience(text, reason: reason) }
        guard let sign = part.firstIndex(where: { "=<>!".contains($0) }) else {
            throw invalid("\"\(part)\" compares nothing")
        }
        let name = part[..<sign].trimmingSpaces
        let comparison = part[sign...]
        if name == "app" || name == "os" {
            guard let range = try? AppVersionRange(String(comparison).replacing(" =", with: "=")) else {
                throw invalid("\"\(part)\" is not a range of versions")
            }
            return name == "app" ? .app(range) : .os(range)
        }
        let isNegated = comparison.hasPrefix("!=")
        guard isNegated || comparison.hasPrefix("="), !isNegated || name == "device" else {
            throw invalid("\"\(part)\" needs =")
        }
        let values = comparison.dropFirst(isNegated ? 2 : 1).split(separator: ",").map { String($0.trimmingSpaces) }
        guard !values.isEmpty, !values.contains("") else { throw invalid("\"\(part)\" has no value") }
        switch name {
        case "platform": return .platform(values)
        case "locale": return .locale(values)
        case "region": return .region(values)
        case "model":
            return .model(values.map { $0.hasSuffix("*") ? String($0.dropLast()) : $0 })
        case "network":
            let kinds = values.compactMap { NetworkKind(rawValue: $0) }
            guard kinds.count == values.count else { throw invalid("a network is unmetered or metered") }
            return .network(kinds)
        case "device": return .device(values.map { Condition.hash(ofDevice: $0) }, isIn: !isNegated)
        case "group":
            guard values.allSatisfy(DeviceGroup.isName) else {
                throw invalid("a group's name is 1 to 63 lower-case letters, digits and hyphens")
            }
            return .group(values)
        default:
            guard name.hasPrefix("tag."), name.utf8.count > 4 else {
                throw invalid("there is no condition \"\(name)\"")
            }
            return .tag(String(name.dropFirst(4)), in: values)
        }
    }
}

extension Condition {
    /// As ``Audience`` writes it; devices by their hashes.
    var audienceText: String {
        switch self {
        case .app(let range): "app\(range)"
        case .os(let range): "os\(range)"
        case .platform(let names): "platform=\(names.joined(separator: ","))"
        case .locale(let names): "locale=\(names.joined(separator: ","))"
        case .region(let names): "region=\(names.joined(separator: ","))"
        case .model(let prefixes): "model=\(prefixes.map { $0 + "*" }.joined(separator: ","))"
        case .network(let kinds): "network=\(kinds.map(\.rawValue).joined(separator: ","))"
        case .tag(let name, let values): "tag.\(name)=\(values.joined(separator: ","))"
        case .device(let hashes, let isIn): "\(hashes.count) devices \(isIn ? "named" : "left out")"
        case .group(let names): "group=\(names.joined(separator: ","))"
        case .unknown(let kind, _): "\(kind) (of a newer packtool)"
        }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
