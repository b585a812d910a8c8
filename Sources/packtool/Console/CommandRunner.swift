import ArgumentParser
import Foundation
import PackArchive
import PackJSON
import PackRegistryAPI
import PackSystem
import PackUpdater

/// Runs the command line and turns errors into a message on stderr and an exit code; with `--json` also into a
/// document on stdout.
enum CommandRunner {
    static func run(_ root: (some AsyncParsableCommand).Type) async -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let isJSON = arguments.prefix { $0 != "--" }.contains("--json")
        if let mistake = CommandMistake.message(for: arguments, root: root) {
            report(mistake, kind: "usage", exitCode: .validationFailure, isJSON)
            end(.validationFailure)
        }
        do {
            var command = try root.parseAsRoot()
            // What processes that were killed left behind.
            WorkFolder.sweep()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            end(.success)
        } catch let failure as CommandFailure {
            report(failure.message, kind: failure.kind, exitCode: failure.exitCode, isJSON, failure.details)
            end(failure.exitCode)
        } catch let failure as LoggedFailure {
            if isJSON { Console.failure(failure.message, kind: failure.kind, exitCode: ExitCode.failed.rawValue) }
            end(.failed)
        } catch  where isArgumentParserError(error) {
            let code = root.exitCode(for: error)
            if code == .validationFailure, let mistake = CommandMistake.unknownOption(in: arguments, root: root) {
                report(mistake.message, kind: "usage", exitCode: code, isJSON)
                Console.standardError(mistake.usage)
                end(code)
            }
            if isJSON, code != .success {
                // What ended with a code alone has said why, in its result or on stderr.
                let kind = error is ArgumentParser.ExitCode ? kindOfEnd(code) : "usage"
                Console.failure(root.message(for: error), kind: kind, exitCode: code.rawValue)
            }
            guard code != .success else { root.exit(withError: error) }
            let text = CommandMistake.explained(root.fullMessage(for: error))
            // The parser writes "Error:", and all else here is "error:".
            if !text.isEmpty {
                Console.standardError(text.hasPrefix("Error: ") ? "error: \(text.dropFirst(7))" : text)
            }
            end(code)
        } catch {
            let kind = kind(of: error)
            let code: ArgumentParser.ExitCode =
                kind == RegistryError.Kind.nothingToDo.rawValue ? .nothingToDo : .failed
            report(text(of: error), kind: kind, exitCode: code, isJSON)
            end(code)
        }
    }

    /// Ends the program without the handlers that libraries left for its end: OpenSSL's frees what a connection that is still
    /// being closed on another thread goes on to use.
    private static func end(_ code: ExitCode) -> Never {
        // Whatever is printed was written at once (``Console``), so nothing is left in a buffer.
        guard code == .success, let fault = Console.resultFault else { _exit(code.rawValue) }
        Console.standardError("error: the command did its work, and its result is lost: \(fault.description)")
        _exit(ExitCode.failed.rawValue)
    }

    private static func report(
        _ message: String, kind: String, exitCode: ExitCode, _ isJSON: Bool, _ details: JSONObject = [:]
    ) {
        if isJSON { Console.failure(message, kind: kind, exitCode: exitCode.rawValue, details) }
        Console.standardError("error: \(message)")
    }

    /// Foundation's errors print as what a debugger shows.
    fileprivate static func text(of error: any Error) -> String {
        guard let error = error as? CocoaError else { return "\(error)" }
        let path = error.filePath ?? error.url?.path
        return (path.map { "\($0): " } ?? "") + error.localizedDescription
    }

    private static func kindOfEnd(_ code: ExitCode) -> String { code == .nothingToDo ? "nothingToDo" : "failed" }

    /// The word for machines: the kinds of `docs/HTTP-API.md`, and the few that only a command has.
    fileprivate static func kind(of error: any Error) -> String {
        switch error {
        case let error as RegistryError: error.kind.rawValue
        case let fault as FileFault: RegistryError(fault).kind.rawValue
        case let error as UpdateError: error.kind
        default: "failed"
        }
    }

    /// Help, usage errors and explicit exit codes are ArgumentParser's own to print; everything else is ours.
    private static func isArgumentParserError(_ error: any Error) -> Bool {
        error is ArgumentParser.ExitCode || error is ValidationError || error is CleanExit
            || String(reflecting: type(of: error)).hasPrefix("ArgumentParser.")
    }
}

extension UpdateError {
    fileprivate var kind: String {
        switch self {
        case .notTrusted, .refused, .damagedContent: "notTrusted"
        case .noChannel, .notFound, .registryLacks, .notInstalled: "notFound"
        case .unreachable, .overloaded, .badAnswer: "unreachable"
        case .diskIsFull: "full"
        case .storeIsBusy: "busy"
        case .notConfirmed, .nothingToGoBackTo: "conflict"
        case .noRoot: "unauthorized"
        case .storeIsNewer, .storeIsDamaged, .fileFailed: "unusable"
        }
    }
}

extension ExitCode {
    /// Bad input or a fault: nothing was changed.
    static let failed = ExitCode(1)
    /// There was nothing to do.
    static let nothingToDo = ExitCode(2)
    /// Nobody said yes to what the command would do: nothing was changed.
    static let needsConsent = ExitCode(3)
}

/// What ended a command and is in its log, in the log's own form.
struct LoggedFailure: Error {
    let message: String
    fileprivate let kind: String

    init(_ error: any Error) {
        let failure = error as? CommandFailure
        message = failure?.message ?? CommandRunner.text(of: error)
        kind = failure?.kind ?? CommandRunner.kind(of: error)
    }
}

/// A failure with a command's own message: what, where, and what to do.
struct CommandFailure: Error {
    let message: String
    var exitCode = ExitCode.failed
    /// The word for machines.
    var kind: String
    /// What the JSON document of the failure has besides.
    var details: JSONObject

    init(_ message: String, exitCode: ExitCode = .failed, kind: String? = nil, details: JSONObject = [:]) {
        self.message = message
        self.exitCode = exitCode
        self.details = details
        self.kind = kind ?? (exitCode == .nothingToDo ? "nothingToDo" : "failed")
    }
}
