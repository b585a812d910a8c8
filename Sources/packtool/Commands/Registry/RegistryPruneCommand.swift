import ArgumentParser
import Foundation
import PackBuilder
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI
import PackRegistryLocal

/// `packtool registry prune`: a registry does not grow for ever.
struct RegistryPruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Remove the files of versions that nobody needs any more.",
        discussion: HelpText.flowing(
            """
            A version keeps its files while a channel offers it or could go back to it, while it was offered, published or on a device \
            that reports in the last --days, and while it is among the newest --keep of its package. So do the shared bundles that it \
            pins. What the others have for themselves is removed, with patches to versions that no channel offers any more, compressed \
            copies for browsers, and uploads that nobody published for \(RetentionPolicy.uploadDays) days.

            Signed documents and manifests stay, and so does the history. A version without files cannot be offered; publishing the same \
            package again brings it back. It may run beside servers, and in a cron job with --yes.
            """))

    @Option(help: ArgumentHelp("How many of the newest versions of each package stay.", valueName: "COUNT"))
    var keep = RetentionPolicy().versionCount

    @Option(
        help: ArgumentHelp(
            "Versions stay that were published, offered or reported in the last so many days, at least "
                + "\(RetentionPolicy.leastDays).", valueName: "DAYS"))
    var days = RetentionPolicy().days

    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var consent: ConsentOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard keep >= 1 else { throw ValidationError("--keep must be at least 1: the newest version always stays") }
        guard (RetentionPolicy.leastDays...36_500).contains(days) else {
            throw ValidationError(
                "--days must be at least \(RetentionPolicy.leastDays): for so long a device may go by what it was shown"
            )
        }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        guard let local = session.local else {
            throw CommandFailure(
                "a registry is pruned where its files are: give its folder or database with --registry")
        }
        var policy = RetentionPolicy()
        policy.versionCount = keep
        policy.days = days
        let prune = RegistryPrune(local)
        let plan = try await prune.plan(policy)
        if dryRun.isDryRun || plan.isEmpty {
            let text =
                plan.isEmpty
                ? "nothing to remove: \(Self.keptText(plan, policy))" : Self.text(plan, policy, "would be removed")
            return options.console.result(text, json: .object(Self.json(plan, isDryRun: dryRun.isDryRun)))
        }
        try consent.require(Self.text(plan, policy, "would be removed"), options)
        let line = ProgressLine(options.console)
        defer { line.clear() }
        let removed = try await prune.run(policy, as: .local(user: NSUserName())) { done, all in
            line.show("removing files: \(done) of \(all)")
        }
        line.clear()
        options.console.result(
            Self.text(removed, policy, "removed"), json: .object(Self.json(removed, isDryRun: false)))
    }

    // MARK: Words

    private static func text(_ plan: PrunePlan, _ policy: RetentionPolicy, _ verb: String) -> String {
        var lines: [String] = []
        for (package, versions) in Dictionary(grouping: plan.versions, by: \.package).sorted(by: { $0.key < $1.key }) {
            let names = versions.map(\.version.description)
            let list = names.count > 6 ? names.prefix(3) + ["…"] + names.suffix(2) : names[...]
            lines.append(
                "\(package)  \(names.count) \(names.count == 1 ? "version" : "versions") without files: "
                    + list.joined(separator: ", "))
        }
        if !plan.uploads.isEmpty { lines.append("uploads that nobody published: \(plan.uploads.count)") }
        for (name, amount) in amounts(plan) where amount.count > 0 {
            lines.append("\(name)  \(amount.count) files, \(ByteCount.text(amount.byteCount))")
        }
        if plan.leftCount > 0 { lines.append("left by an earlier prune: \(plan.leftCount) files") }
        lines.append("\(verb): \(ByteCount.text(plan.byteCount)). \(keptText(plan, policy))")
        return lines.joined(separator: "\n")
    }

    private static func keptText(_ plan: PrunePlan, _ policy: RetentionPolicy) -> String {
        let reasons = RetentionRule.Reason.allCases.compactMap { reason in
            plan.kept[reason].map { "\($0) \(words(reason, policy))" }
        }
        let count = plan.kept.values.reduce(0, +)
        return "\(count) \(count == 1 ? "version keeps its" : "versions keep their") files"
            + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))")
    }

    private static func words(_ reason: RetentionRule.Reason, _ policy: RetentionPolicy) -> String {
        let lately = "in the last \(CountText.text(policy.days, "day"))"
        return switch reason {
        case .offered: "offered"
        case .wayBack: "to go back to"
        case .offeredLately: "offered \(lately)"
        case .pinned: "needed by others as a shared bundle"
        case .onDevices: "on devices \(lately)"
        case .newest: "among the newest \(policy.versionCount) of a package"
        case .publishedLately: "published \(lately)"
        }
    }

    private static func amounts(_ plan: PrunePlan) -> [(name: String, amount: PrunePlan.Amount)] {
        [
            ("content", plan.objectAmount), ("downloads and zips", plan.downloadAmount), ("patches", plan.patchAmount),
            ("compressed copies", plan.encodingAmount),
        ]
    }

    private static func json(_ plan: PrunePlan, isDryRun: Bool) -> JSONObject {
        var json: JSONObject = [
            "versions": .array(plan.versions.map { .string("\($0.package)@\($0.version)") }),
            "uploads": .array(plan.uploads.map { .string("\($0.name.package)@\($0.name.version)") }),
            "bytes": .integer(plan.byteCount), "dryRun": .bool(isDryRun), "left": .integer(plan.leftCount),
        ]
        for (key, amount) in zip(["objects", "downloads", "patches", "encoded"], amounts(plan).map(\.amount)) {
            json[key] = .object(["files": .integer(amount.count), "bytes": .integer(amount.byteCount)])
        }
        var kept = JSONObject()
        for (reason, count) in plan.kept { kept[reason.rawValue] = .integer(count) }
        json["kept"] = .object(kept)
        return json
    }
}
