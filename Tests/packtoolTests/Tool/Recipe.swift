import Foundation
import Testing

/// A recipe of docs/ROLLOUTS.md: its commands as they are written there, in their order.
struct Recipe {
    /// The lines of its blocks, and what stands in its sentences as a command.
    let commands: [String]

    /// - Parameter title: how its title begins.
    init(_ title: String) throws {
        let document = try String(
            contentsOf: Tool.project.appendingPathComponent("docs/ROLLOUTS.md"), encoding: .utf8)
        let parts = document.components(separatedBy: "\n### Recipe: ").dropFirst()
        let part = try #require(parts.first { $0.hasPrefix(title) }, "there is no recipe \(title)")
        let text = part.components(separatedBy: "\n#").first ?? ""
        let found = text.matches(of: /(?m)^ {4}(\S.*)$|`(packtool [^`]+)`/)
        commands = found.map { match in
            String(match.1 ?? match.2 ?? "").replacing(/\s*\n\s*/, with: " ").trimmingCharacters(in: .whitespaces)
        }
    }

    /// The titles of all.
    static func titles() throws -> [String] {
        let document = try String(
            contentsOf: Tool.project.appendingPathComponent("docs/ROLLOUTS.md"), encoding: .utf8)
        return document.matches(of: /(?m)^### Recipe: (.+)$/).map { String($0.1) }
    }
}

extension Tool {
    /// Runs a line of a document as a CI job would, without a terminal.
    /// - Parameter asks: what the command says without the line's `--yes`, when it asks; nil: it does not ask.
    @discardableResult
    func follow(
        _ line: String, asks: String? = nil, environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let place = Self.executable.deletingLastPathComponent().path
        let path = "\(folder.path)/bin:\(place):\(self.environment["PATH"] ?? "")"
        let environment = environment.merging(["PATH": path]) { $1 }
        guard let asks else {
            let outcome = try await shell(line, environment: environment)
            #expect(outcome.exitCode == 0, "\(line): \(outcome)", sourceLocation: sourceLocation)
            return outcome
        }
        #expect(line.hasSuffix(" --yes"), "\(line) does nothing in a CI job", sourceLocation: sourceLocation)
        let asked = try await shell(line.replacing(" --yes", with: ""), environment: environment)
        #expect(
            asked.exitCode == 3 && asked.standardError.contains(asks), "\(line): \(asked)",
            sourceLocation: sourceLocation)
        return try await follow(line, environment: environment, sourceLocation: sourceLocation)
    }
}
