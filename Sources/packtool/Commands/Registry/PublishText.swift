import ArgumentParser
import PackBuilder
import PackFormat
import PackJSON
import PackPublisher
import PackRegistryAPI

/// The form in which `packtool publish` says what it did, or would do.
enum PublishText {
    static func text(_ published: [Publisher.Published], _ offered: [ChannelOffer.Made]) -> String {
        (published.map(line) + offered.map(\.text)).joined(separator: "\n")
    }

    static func text(_ published: [Publisher.Published], _ proposed: [ChangeOutcome]) -> String {
        (published.map(line) + proposed.map { ChangeText.text($0.change) }).joined(separator: "\n")
    }

    private static func line(_ entry: Publisher.Published) -> String {
        let name = "\(entry.manifest.package) \(entry.manifest.version)"
        return switch entry.outcome {
        case .published:
            "published  \(name)  \(entry.sentCount) of \(entry.manifest.ownObjects.count) files sent, "
                + ByteCount.text(entry.sentSize)
        case .unchanged: "unchanged  \(name)"
        }
    }

    static func intended(_ versions: [Publisher.Intended]) -> [String] {
        versions.map { entry in
            let name = "\(entry.manifest.package) \(entry.manifest.version)"
            guard entry.isNew else { return "unchanged      \(name)" }
            return "would publish  \(name)  \(entry.sentCount) of \(entry.manifest.ownObjects.count) files to send, "
                + ByteCount.text(entry.sentSize)
                + (entry.delegates ? ", after the owner's key lets yours publish the new package" : "")
        }
    }

    static func json(
        _ published: [Publisher.Published], _ offered: [ChannelOffer.Made], _ proposed: [ChangeOutcome] = []
    ) -> JSONValue {
        var json: JSONObject = [
            "published": .array(
                published.map {
                    .object(
                        Self.json(
                            $0.manifest, isChanged: $0.outcome == .published, sentCount: $0.sentCount,
                            sentSize: $0.sentSize))
                }), "offered": .array(offered.map { .object($0.json) }),
        ]
        if !proposed.isEmpty { json["proposed"] = .array(proposed.map { .object($0.json) }) }
        return .object(json)
    }

    static func json(_ versions: [Publisher.Intended], _ offered: [ChannelOffer.Made]) -> JSONValue {
        .object([
            "dryRun": true,
            "published": .array(
                versions.map { entry in
                    var json = json(
                        entry.manifest, isChanged: entry.isNew, sentCount: entry.sentCount, sentSize: entry.sentSize)
                    if entry.delegates { json["delegates"] = true }
                    return .object(json)
                }),
            "offered": .array(
                offered.map { made in
                    var json = made.json
                    // It is made by the offer itself.
                    json["set"] = nil
                    return .object(json)
                }),
        ])
    }

    private static func json(_ manifest: Manifest, isChanged: Bool, sentCount: Int, sentSize: Int) -> JSONObject {
        [
            "package": .string(manifest.package.text), "version": .string(manifest.version.description),
            "manifest": .string(manifest.digest.hex), "changed": .bool(isChanged), "sentFiles": .integer(sentCount),
            "sentSize": .integer(sentSize),
        ]
    }

    /// Of several channels one failed: what is so already, what is not, and how to go on.
    /// - Parameter left: the channel that failed, and those after it.
    static func failure(
        _ error: RegistryError, _ published: [Publisher.Published], _ offered: [ChannelOffer.Made],
        left: [ChannelName]
    ) -> CommandFailure {
        let failed = left.first?.text ?? ""
        let rest = left.map { "--channel \($0)" }.joined(separator: " ")
        let lines =
            published.map(line) + offered.map(\.text) + [
                "\(failed) is as before: \(error)",
                "\(left.dropFirst().map { "\($0) was not asked. " }.joined())To go on, repeat the command with \(rest): "
                    + "what is published already is left as it is",
            ]
        return CommandFailure(
            lines.joined(separator: "\n"), kind: error.kind.rawValue,
            details: [
                "offered": .array(offered.map { .object($0.json) }),
                "notOffered": .array(left.map { .string($0.text) }),
            ])
    }
}
