import ArgumentParser
import Foundation
import PackArchive

/// Runs the command line and turns what goes wrong into a message on stderr and an exit code.
enum CommandRunner {
    static func run(_ root: (some AsyncParsableCommand).Type) async {
        do {
            var command = try root.parseAsRoot()
            // What processes that were killed left behind.
            WorkFolder.sweep()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            Console.standardError("error: \(failure.message)")
            Foundation.exit(failure.exitCode.rawValue)
        } catch  where isArgumentParserError(error) {
            root.exit(withError: error)
        } catch {
            Console.standardError("error: \(error)")
            Foundation.exit(ExitCode.failed.rawValue)
        }
    }

    /// Help, usage errors and explicit exit codes are ArgumentParser's own to print; everything else is ours.
    private static func isArgumentParserError(_ error: any Error) -> Bool {
        error is ArgumentParser.ExitCode || error is ValidationError || error is CleanExit
            || String(reflecting: type(of: error)).hasPrefix("ArgumentParser.")
    }
}

extension ExitCode {
    /// Bad input or a fault: nothing was changed.
    static let failed = ExitCode(1)
    /// There was nothing to do, or a policy refused it.
    static let nothingToDo = ExitCode(2)
}

/// A failure that a command reports in its own words: what, where, and what to do.
struct CommandFailure: Error {
    let message: String
    var exitCode = ExitCode.failed

    init(_ message: String, exitCode: ExitCode = .failed) {
        self.message = message
        self.exitCode = exitCode
    }
}
