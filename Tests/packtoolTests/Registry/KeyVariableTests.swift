import Foundation
import Testing

/// The forms in which a publisher's key reaches a CI job.
struct KeyVariableTests {
    private static let forms: [String: @Sendable (String) -> String] = [
        "as it is": { $0 },
        "one line": { $0.replacingOccurrences(of: "\n", with: " ") },
        "no breaks at all": { $0.replacingOccurrences(of: "\n", with: "") },
        "\\n": { $0.replacingOccurrences(of: "\n", with: "\\n") },
        "Windows breaks": { $0.replacingOccurrences(of: "\n", with: "\r\n") },
        "base64": { Data($0.utf8).base64EncodedString() },
        "base64 in lines": { Data($0.utf8).base64EncodedString(options: [.lineLength64Characters]) },
    ]

    private static func project() async throws -> (tool: Tool, key: String) {
        let scene = try await AttackScene()
        let tool = try Tool()
        try await tool.shell("cp -r '\(scene.tool.folder.path)/.packtool' .").expectSuccess()
        try tool.write(["dist/index.html": "<!doctype html><title>Shop</title>"])
        try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.1.0").expectSuccess()
        let key = try String(decoding: tool.read(".packtool/keys/publisher.pem"), as: UTF8.self)
        try await tool.shell("rm -r .packtool/keys").expectSuccess()
        return (tool, key)
    }

    @Test(.onFolder, arguments: forms.keys.sorted() + ["path", "path with a line break"])
    func `the key is taken in every form that a secret store makes of it`(form: String) async throws {
        let (tool, key) = try await Self.project()
        try tool.write(["key.pem": key])
        try await tool.shell("chmod 600 key.pem").expectSuccess()
        let text = Self.forms[form]?(key) ?? (form == "path" ? "key.pem" : "key.pem\n")
        let outcome = try await tool.run("publish", "--channel", "beta", environment: ["PACKTOOL_KEY": text])
        #expect(outcome.exitCode == 0, "\(outcome)")
        #expect(!outcome.description.contains("PRIVATE KEY"), "\(outcome)")
    }

    @Test(.onFolder, arguments: ["nonsense", "missing.pem", "c2VjcmV0", "-----BEGIN PRIVATE KEY-----"])
    func `what is no key is told what is, and not repeated`(text: String) async throws {
        let (tool, _) = try await Self.project()
        let outcome = try await tool.run("publish", "--channel", "beta", environment: ["PACKTOOL_KEY": text])
        expectClearError(
            outcome,
            naming: ["PACKTOOL_KEY takes a PEM text", "base64", "path of a key file", "\(text.utf8.count) char"])
        #expect(!outcome.description.contains(text), "\(outcome)")
    }
}
