import Foundation

/// Whether a test may mount a small file system in a namespace of its own.
package enum OwnFileSystem {
    /// Its tests are left out where this variable is 1, because some containers allow no namespaces. Elsewhere they
    /// fail if there are none: nobody would miss what was left out quietly.
    package static let variable = "TESTS_WITHOUT_MOUNTS"

    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Throws: ``Missing`` where none can be mounted and the environment does not say so.
    package static var isAllowed: Bool {
        get throws {
            guard ProcessInfo.processInfo.environment[variable] != "1" else { return false }
            if let fault { throw Missing(description: fault) }
            return true
        }
    }

    private static let command = ["/usr/bin/unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]

    /// Why none can be mounted; nil if one can.
    private static let fault: String? = {
        let process = Process()
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        let errors = Pipe()
        process.standardError = errors
        let text = command.joined(separator: " ")
        do {
            try process.run()
            let said = try errors.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            guard process.terminationStatus != 0 else { return nil }
            return "`\(text)` fails: \(String(decoding: said, as: UTF8.self))"
                + " Allow user namespaces, or set \(variable)=1"
        } catch {
            return "`\(text)` cannot be run: \(error). Install util-linux, or set \(variable)=1"
        }
    }()
}
