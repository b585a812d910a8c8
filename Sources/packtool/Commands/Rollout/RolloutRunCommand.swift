import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool rollout run`: takes the steps that are due, for a cron job.
struct RolloutRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Take the steps of all plans, and make the approved changes, that are due, once.",
        discussion: HelpText.flowing(
            """
            packtool serve does this by itself. A folder that only a web server or a CDN
            serves needs it every few minutes, as in a cron job. Over HTTP it takes a token
            with the right to release. Any number of runners may run at once: each step is
            taken once, and each change is made once. With --quiet it says nothing where
            nothing was done, so that cron sends no mail.
            """))

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let run = try await session.registry.runRollouts()
        var lines = run.actions.map { action in
            "\(action.name)  \(action.package) \(action.version?.description ?? "embedded") on \(action.channel): "
                + "\(action.before) to \(action.after): \(action.reason)"
        }
        lines += run.changes.map { change in
            "\(change.state == .executed ? "made" : "failed")  change \(change.id) on \(change.proposal.channel): "
                + (change.state == .executed ? change.proposal.action.summary : change.end?.text ?? "")
        }
        if lines.isEmpty, !options.quiet {
            lines.append("nothing is due")
            if let next = RolloutText.next(run) { lines.append(next) }
        }
        options.console.result(lines.joined(separator: "\n"), json: .object(run.json))
        for failure in run.failures { Console.standardError("error: \(failure)") }
        if run.actions.contains(where: { $0.before != $0.after }) || !run.changes.isEmpty {
            await session.finish(console: options.console)
        }
        guard run.failures.isEmpty else { throw ExitCode.failed }
    }
}
