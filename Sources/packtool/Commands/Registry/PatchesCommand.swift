import ArgumentParser
import Foundation
import PackBuilder
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI
import PackRegistryLocal

/// `packtool patches`: patches for the devices that there are, before they ask.
struct PatchesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "patches",
        abstract: "Make patches from the versions that devices have; --plan says what they cost and save.",
        discussion: HelpText.flowing(
            """
            A server makes a patch when a device asks for it, and makes those from the \(PatchPlanning.recentVersions) versions ahead that a \
            channel offered before. Behind a bucket or a CDN a patch that is not there is a full download. This command makes patches \
            ahead from all versions that devices reported to have (docs/REPORTS.md); without reports from those offered before. What \
            saves the most bytes for its work comes first. A server does the same once an hour, with the budget that is the default here.

            Work is time of one core, about. Sizes of patches that are not made yet are guessed from those of the package that are.
            """))

    @Argument(help: "One package only.")
    var package: PackageID?

    @Flag(help: "Say what would be made, what it would cost and save, and make nothing.")
    var plan = false

    @Option(help: ArgumentHelp("The work for patches, at most, in seconds of one core.", valueName: "SECONDS"))
    var seconds = PatchBudget().seconds

    @Option(
        help: ArgumentHelp(
            "The space for all patches to versions that are offered now, in megabytes.", valueName: "MB"))
    var space = PatchBudget().byteCount / 1_000_000

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...1_000_000_000).contains(seconds) else { throw ValidationError("--seconds must be a number from 1") }
        guard (1...1_000_000_000).contains(space) else { throw ValidationError("--space must be a number from 1") }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        guard let local = session.local else {
            throw CommandFailure(
                "patches are made where the registry's files are: give its folder or database with --registry; its server makes "
                    + "them by itself")
        }
        if let package { try NameCheck.require(package, in: await session.registry.overview()) }
        let planning = PatchPlanning(local)
        let budget = PatchBudget(seconds: seconds, byteCount: space * 1_000_000)
        let choices = try await planning.plan(budget, package: package)
        let text = PatchPlanText(choices)
        guard !plan else {
            return options.console.result(
                (text.table + [text.summary(isPlan: true)]).joined(separator: "\n"), json: .object(text.json))
        }
        let line = ProgressLine(options.console)
        defer { line.clear() }
        try await planning.make(choices) { made, all in line.show("making patches: \(made) of \(all)") }
        line.clear()
        let made = PatchPlanText(try await planning.plan(budget, package: package))
        options.console.result(made.summary(isPlan: false, new: text.count(.make)), json: .object(made.json))
    }
}

/// A plan of patches as text.
struct PatchPlanText {
    private let choices: [PatchPlanRule.Choice]

    init(_ choices: [PatchPlanRule.Choice]) {
        self.choices = choices
    }

    func count(_ decision: PatchPlanRule.Decision) -> Int { choices.count { $0.decision == decision } }

    var table: [String] {
        guard !choices.isEmpty else { return [] }
        return TextTable.lines(
            [["PACKAGE", "FROM", "TO", "DEVICES", "PATCH", "DOWNLOAD", "WORK", ""]]
                + choices.map { choice in
                    let candidate = choice.candidate
                    let isThere = choice.decision == .made
                    return [
                        candidate.target.name.package.text, "\(candidate.base.name.version)",
                        "\(candidate.target.name.version)",
                        candidate.devices.map { CountText.number($0) } ?? "-",
                        choice.decision == .worthless
                            ? "-" : (isThere ? "" : "about ") + ByteCount.text(choice.byteCount),
                        ByteCount.text(candidate.fullByteCount),
                        isThere ? "-" : "\(PatchBudget.seconds(ofWork: candidate.work)) s",
                        Self.words[choice.decision] ?? "",
                    ]
                })
    }

    private static let words: [PatchPlanRule.Decision: String] = [
        .made: "made", .make: "to make", .worthless: "saves nothing", .overBudget: "over budget",
    ]

    /// - Parameter new: how many were to be made.
    func summary(isPlan: Bool, new: Int = 0) -> String {
        guard !choices.isEmpty else {
            return
                "no patch leads to what channels offer: they never offered another version, and no device reports one"
        }
        let planned = choices.filter { $0.decision == .make }
        let made = choices.filter { $0.decision == .made }
        var parts: [String] = []
        if isPlan {
            let seconds = planned.reduce(0) { $0 + PatchBudget.seconds(ofWork: $1.candidate.work) }
            parts.append(
                planned.isEmpty
                    ? "nothing to make"
                    : "\(CountText.text(planned.count, "patch", plural: "patches")) to make: about \(seconds) s of one core, about "
                        + ByteCount.text(planned.reduce(0) { $0 + $1.byteCount }) + Self.saving(planned))
        } else {
            parts.append("made \(CountText.text(max(0, new - planned.count), "patch", plural: "patches"))")
            if !planned.isEmpty { parts.append("\(planned.count) are left: run the command again") }
        }
        if !made.isEmpty {
            parts.append(
                "\(CountText.text(made.count, "patch is", plural: "patches are")) there with "
                    + ByteCount.text(made.reduce(0) { $0 + $1.byteCount }) + Self.saving(made))
        }
        if count(.overBudget) > 0 { parts.append("\(count(.overBudget)) over budget (--seconds, --space)") }
        if count(.worthless) > 0 { parts.append("\(count(.worthless)) would save nothing") }
        return parts.joined(separator: "; ")
    }

    /// What the devices that are known to have the bases save.
    private static func saving(_ choices: [PatchPlanRule.Choice]) -> String {
        let devices = choices.reduce(0) { $0 + ($1.candidate.devices ?? 0) }
        guard devices > 0 else { return "" }
        let bytes = choices.reduce(0.0) { $0 + Double($1.savedByteCount) * Double($1.candidate.devices ?? 0) }
        return ", which saves \(CountText.text(devices, "device")) about \(ByteCount.text(Int(min(bytes, 9e15))))"
    }

    var json: JSONObject {
        [
            "patches": .array(
                choices.map { choice in
                    let candidate = choice.candidate
                    var json: JSONObject = [
                        "package": .string(candidate.target.name.package.text),
                        "from": .string("\(candidate.base.name.version)"),
                        "to": .string("\(candidate.target.name.version)"),
                        "decision": .string(choice.decision.rawValue), "bytes": .integer(choice.byteCount),
                        "downloadBytes": .integer(candidate.fullByteCount),
                        "seconds": .integer(PatchBudget.seconds(ofWork: candidate.work)),
                    ]
                    if let devices = candidate.devices { json["devices"] = .integer(devices) }
                    return .object(json)
                })
        ]
    }
}
