import Foundation
import PackFormat
import PackImporter
import PackJSON
import PackPublisher
import PackRegistryAPI

/// The form in which `packtool import` says what it did, or would do.
enum ImportText {
    /// The plan as a table, then what each channel is offered.
    static func plan(_ plan: ImportPlan, _ state: Importer.State) -> String {
        let rows = plan.versions.map { version in
            [
                word(version.version, state, new: "would publish"), "\(plan.package) \(version.version)",
                time(version.created), version.requiredApp.map { "app \($0)" } ?? "", version.file.path,
            ]
        }
        let channels = state.channels.map { progress in
            progress.offers.isEmpty
                ? line(progress, plan)
                : "would offer on \(progress.channel): "
                    + progress.offers.map(text).joined(separator: ", then ")
        }
        return (table(["PLAN", "VERSION", "RELEASED", "FOR", "ZIP"], rows) + channels).joined(separator: "\n")
    }

    static func result(_ plan: ImportPlan, _ state: Importer.State, _ published: [Publisher.Published]) -> String {
        var outcomes = Dictionary(
            published.map { ($0.manifest.version, $0.outcome) }, uniquingKeysWith: { $1 })
        for version in state.withdrawn { outcomes[version] = nil }
        let rows = plan.versions.map { version in
            [
                outcomes[version.version] == .published
                    ? "published" : state.withdrawn.contains(version.version) ? "withdrawn" : "unchanged",
                "\(plan.package) \(version.version)", time(version.created), version.file.path,
            ]
        }
        return (table(["DONE", "VERSION", "RELEASED", "ZIP"], rows) + state.channels.map { line($0, plan) }).joined(
            separator: "\n")
    }

    static func json(
        _ plan: ImportPlan, _ state: Importer.State, published: [Publisher.Published], isDryRun: Bool
    ) -> JSONValue {
        let outcomes = Dictionary(
            published.map { ($0.manifest.version, $0) }, uniquingKeysWith: { $1 })
        var json: JSONObject = [
            "package": .string(plan.package.text),
            "versions": .array(
                plan.versions.map { version in
                    let outcome = outcomes[version.version]
                    let isChanged = isDryRun ? state.isNew[version.version] ?? false : outcome?.outcome == .published
                    var json: JSONObject = [
                        "version": .string(version.version.description), "file": .string(version.file.path),
                        "changed": .bool(isChanged),
                    ]
                    if state.withdrawn.contains(version.version) { json["withdrawn"] = true }
                    json["created"] = version.created.map { .string(WireTime.text($0)) }
                    json["note"] = version.note.text.map { .string($0) }
                    json["app"] = version.requiredApp.map { .string($0.description) }
                    json["manifest"] = outcome.map { .string($0.manifest.digest.hex) }
                    return .object(json)
                }),
            "channels": .array(
                state.channels.map { progress in
                    var json: JSONObject = [
                        "channel": .string(progress.channel.text), "changed": .bool(!progress.offers.isEmpty),
                        "offered": .array(progress.offers.map { .object(Self.json($0)) }),
                    ]
                    json["left"] = progress.reason.map { .string($0) }
                    return .object(json)
                }),
        ]
        if isDryRun { json["dryRun"] = true }
        return .object(json)
    }

    private static func json(_ offer: ImportPlan.Offer) -> JSONObject {
        var json: JSONObject = ["version": .string(offer.version.description)]
        if offer.share != .whole { json["share"] = .integer(offer.share.tenThousandths) }
        if offer.isMandatory { json["mandatory"] = true }
        json["created"] = offer.created.map { .string(WireTime.text($0)) }
        return json
    }

    private static func line(_ progress: ChannelProgress, _ plan: ImportPlan) -> String {
        if let reason = progress.reason { return "left: \(reason)" }
        guard let newest = progress.offers.last else {
            return "unchanged: \(progress.channel) offers what it did"
        }
        return "offered \(plan.package) \(text(newest)) on \(progress.channel)"
            + (progress.offers.count > 1
                ? ", after \(CountText.text(progress.offers.count - 1, "earlier version"))" : "")
    }

    /// Such as `1.2.0 (25 %, mandatory)`.
    private static func text(_ offer: ImportPlan.Offer) -> String {
        let words = [offer.share == .whole ? nil : "\(offer.share)", offer.isMandatory ? "mandatory" : nil]
            .compactMap(\.self)
        return "\(offer.version)" + (words.isEmpty ? "" : " (\(words.joined(separator: ", ")))")
    }

    private static func word(_ version: SemanticVersion, _ state: Importer.State, new: String) -> String {
        if state.withdrawn.contains(version) { return "withdrawn" }
        return state.isNew[version] == true ? new : "unchanged"
    }

    private static func time(_ date: Date?) -> String {
        date.map { $0.formatted(Date.ISO8601FormatStyle()) } ?? ""
    }

    /// The table, without columns that say nothing.
    private static func table(_ header: [String], _ rows: [[String]]) -> [String] {
        let kept = header.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        return TextTable.lines(([header] + rows).map { row in kept.map { row[$0] } })
    }
}
