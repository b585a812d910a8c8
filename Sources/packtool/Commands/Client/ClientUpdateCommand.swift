import ArgumentParser
import PackFormat
import PackJSON
import PackUpdater

struct ClientUpdateCommand: AsyncParsableCommand {
    enum Activate: String, ExpressibleByArgument, CaseIterable {
        case now
        case nextStart = "next-start"
    }

    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Install what the channel offers this device.",
        discussion: "Exit code 2 if nothing is new, or if a policy makes the device wait.")

    @OptionGroup var client: ClientOptions

    @Option(help: "When a new version becomes active.")
    var activate = Activate.now

    @Flag(help: "Only packages that were opened on this device before.")
    var onDemand = false

    @Flag(help: "Show what would be done, and change nothing.")
    var check = false

    func run() async throws {
        let updater = try client.updater(activation: activate == .now ? .atOnce : .nextStart, ignoresLastUpdate: true)
        let packages = try client.packages
        let selection: PackageSelection = onDemand ? .onDemand : packages.isEmpty ? .all : .list(packages)
        let remembered = RememberedDevice(store: client.store)
        let missing = remembered.missing(in: client)
        if !missing.isEmpty {
            client.global.console.note(
                "warning: the store's last update was with \(missing.joined(separator: " ")); this one is without, "
                    + "on the channel \(client.channel ?? ClientOptions.defaultChannel)")
        }
        let report: UpdateReport
        if check {
            report = try await updater.check(selection)
        } else {
            if !client.preset.isEmpty { try await updater.takePresets() }
            report = try await updater.update(selection)
        }
        if !check { try remembered.save(client) }
        await updater.sendReports()
        let transfers = Dictionary(report.transfers.map { ($0.package, $0) }, uniquingKeysWith: { $1 })
        let named = Set(report.entries.map(\.package))
        let bundles = report.transfers.filter { !named.contains($0.package) }
        let lines =
            report.entries.map { text($0, transfers[$0.package]) }
            + bundles.map { "\($0.package) \($0.version) came with them\(Self.text($0))" }
        client.global.console.result(
            lines.joined(separator: "\n"),
            json: .object(report.json))
        if !report.failures.isEmpty { throw ExitCode.failed }
        let unknown = report.entries.filter { !$0.isInChannel }
        if !unknown.isEmpty {
            throw CommandFailure(unknown.map { "\($0.package): \($0.why): check the name" }.joined(separator: "; "))
        }
        if !report.isChanged { throw ExitCode.nothingToDo }
    }

    /// Such as ` (patch, 3120 bytes instead of 120400)`.
    private static func text(_ transfer: UpdateReport.Transfer) -> String {
        let way =
            switch transfer.way {
            case .patch: "patch"
            case .full: "full download"
            case .objects: "single files"
            }
        let saved = transfer.byteCount < transfer.size ? " instead of \(transfer.size)" : ""
        return " (\(way), \(transfer.byteCount) bytes\(saved))"
    }

    private func text(_ entry: UpdateReport.Entry, _ transfer: UpdateReport.Transfer?) -> String {
        let came = transfer.map(Self.text) ?? ""
        let line =
            switch entry.outcome {
            case .upToDate(let version?): "\(entry.package) \(version) is up to date"
            case .upToDate(nil): "\(entry.package) is up to date: the channel offers nothing, and nothing is installed"
            case .staged(let version): "\(entry.package) \(version) is active from the next start on\(came)"
            case .wouldInstall(let version): "\(entry.package) \(version) would be installed"
            case .waiting(let version, let reason): "\(entry.package) \(version) is offered, but \(reason)"
            case .activated(let version?): "\(entry.package) \(version) is active\(came)"
            case .activated(nil): "\(entry.package) is back to what the app embeds: nothing"
            case .wouldGoBack(let version?):
                "\(entry.package) \(version), which the app embeds, would become active"
            case .wouldGoBack(nil): "\(entry.package) would go back to what the app embeds: nothing"
            case .nothing where !entry.isInChannel: "\(entry.package) is not in the channel"
            case .nothing: "\(entry.package) is unchanged: \(entry.why)"
            case .failed(let reason): "\(entry.package) failed: \(reason)"
            }
        if case .nothing = entry.outcome { return line }
        return client.global.verbose ? "\(line)\n  \(entry.why)" : line
    }
}
