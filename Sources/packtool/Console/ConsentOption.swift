import ArgumentParser
import Foundation

/// `--yes` of commands for an emergency, which never ask: scripts may pass it to every command that changes a channel.
struct AcceptedYes: ParsableArguments {
    @Flag(help: "Accepted for scripts: this command never asks.")
    var yes = false
}

/// `--yes`, for commands with a larger effect than their words suggest: they ask on a terminal, and refuse elsewhere.
struct ConsentOption: ParsableArguments {
    @Flag(help: "Do it without asking.")
    var yes = false

    /// - Parameters:
    ///   - isDryRun: says that the command would ask, and does not.
    ///   - consequences: what would happen, with numbers.
    /// - Throws: where nobody said yes.
    func require(isDryRun: Bool = false, _ consequences: String, _ options: GlobalOptions) throws {
        guard !yes else { return }
        if isDryRun {
            options.console.note("\(consequences)\nWithout --dry-run the command asks first, or takes --yes.")
            return
        }
        let isTerminal =
            isatty(FileHandle.standardInput.fileDescriptor) == 1
            // Some runners give their jobs a terminal, at which nobody sits.
            && !["true", "1"].contains(ProcessInfo.processInfo.environment["CI"]?.lowercased() ?? "")
            && isatty(FileHandle.standardError.fileDescriptor) == 1
        guard isTerminal, !options.json else {
            throw CommandFailure(
                "\(consequences)\nNothing was done. To do it: --yes", exitCode: .needsConsent, kind: "needsConsent")
        }
        Console.standardError("\(consequences)\nDo it? (yes/no)")
        let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        guard ["y", "yes"].contains(answer) else {
            throw CommandFailure("nothing was done", exitCode: .needsConsent, kind: "needsConsent")
        }
    }
}
