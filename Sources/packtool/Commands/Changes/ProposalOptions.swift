import ArgumentParser
import Foundation
import PackFormat
import PackRegistryAPI

/// When a change is made, and whether others are asked first.
struct ScheduleOptions: ParsableArguments {
    @Flag(help: "Propose the change instead of making it: others approve it (packtool changes).")
    var propose = false

    @Option(
        help: ArgumentHelp(
            "Propose it for a later time, such as 2026-11-30T08:00:00Z or 2026-11-30T08:00:00+01:00.", valueName: "TIME"
        ), transform: { try ScheduleOptions.time($0) })
    var at: Date?

    @Option(
        help: ArgumentHelp(
            "When the proposal expires (default: after 7 days, or 7 days after --at).", valueName: "TIME"),
        transform: { try ScheduleOptions.time($0) })
    var expires: Date?

    var isGiven: Bool { propose || at != nil }

    func validate() throws {
        guard expires == nil || isGiven else { throw ValidationError("--expires goes with --propose or --at") }
    }

    static func time(_ text: String) throws -> Date {
        do { return try WireTime.date(text, field: "the time") } catch {
            throw ValidationError(
                "\"\(text)\" is no time: say it with its time zone, as 2026-11-30T08:00:00Z or 2026-11-30T08:00:00+01:00"
            )
        }
    }
}

/// The same for commands that have no reason of their own.
struct ProposalOptions: ParsableArguments {
    @OptionGroup var schedule: ScheduleOptions

    @Option(
        help: ArgumentHelp(
            "With --propose or --at: why, for who approves the change and for the log.", valueName: "TEXT"))
    var reason: String?

    var isGiven: Bool { schedule.isGiven }

    func validate() throws {
        guard reason == nil || isGiven else { throw ValidationError("--reason goes with --propose or --at") }
    }
}

/// For ways back that cannot wait for approvals.
struct EmergencyOptions: ParsableArguments {
    @Flag(
        help: "Do it at once, without the approvals that the channel requires; needs --reason, and is logged as such.")
    var emergency = false

    @OptionGroup var schedule: ScheduleOptions

    var isGiven: Bool { emergency || schedule.isGiven }

    func validate() throws {
        guard !emergency || !schedule.isGiven else {
            throw ValidationError("--emergency goes with neither --propose nor --at")
        }
    }
}
