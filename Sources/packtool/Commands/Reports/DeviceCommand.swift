import ArgumentParser
import PackBuilder
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool device`: shows what one device reported.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Show what one device reported, step by step.",
        discussion: HelpText.flowing(
            """
            ID is the device's report id: the app shows it, and so does packtool client reports. A device has a
            new one each month. Over HTTP the command needs a token with --observe.
            """))

    @Argument(help: "The report id.")
    var id: String

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let sender = try ReportID(id)
        let session = try await RegistrySession(registry, console: options.console)
        let events = try await session.registry.reports(of: sender)
        guard !events.isEmpty else {
            throw CommandFailure(
                "nothing is stored of the report id \(sender): it may be older than the registry keeps events, or the "
                    + "device has not sent anything yet", exitCode: .nothingToDo)
        }
        options.console.result(
            TextTable.lines([["TIME", "CHANNEL", "PACKAGE", "WHAT", "DETAIL"]] + events.map(row)).joined(
                separator: "\n"),
            json: .object(["id": .string(sender.text), "events": .array(events.map { .object($0.json) })]))
    }

    private func row(_ reported: DeviceEvent) -> [String] {
        let event = reported.event
        let version = event.version.map { " \($0)" } ?? ""
        return [
            ReportTime.text(event.time), reported.channel.text, "\(event.package)\(version)", event.code.rawValue,
            detail(event),
        ]
    }

    private func detail(_ event: ReportEvent) -> String {
        var parts: [String] = []
        if let release = event.release { parts.append("release \(release)") }
        if let phase = event.phase { parts.append("at \(phase.rawValue)") }
        if let fault = event.fault { parts.append(fault.rawValue) }
        if let wire = event.wireByteCount { parts.append("\(ByteCount.text(wire)) transferred") }
        if let zip = event.zipByteCount { parts.append("a zip has \(ByteCount.text(zip))") }
        if let web = event.web { parts.append("\(web.local) local, \(web.online) online, \(web.missed) missed") }
        if let facts = event.facts { parts.append(facts.description) }
        return parts.joined(separator: ", ")
    }
}
