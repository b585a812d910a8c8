import Foundation
import TestSupport
import Testing

/// A prefix of a bucket that a tool's registry has its files in.
struct ToolStorage {
    private let storage: SeaweedPrefix

    init() async throws { storage = try await SeaweedPrefix() }

    var server: SeaweedServer { storage.server }
    var prefix: String { storage.name }
    var address: String { storage.address() }

    /// The address by way of a proxy.
    func address(through proxy: FaultProxy) -> String { storage.address(endpoint: proxy.endpoint) }

    /// For the commands of a tool.
    var environment: [String: String] { storage.environment.merging(["PACKTOOL_STORAGE": address]) { $1 } }

    /// A file of the bucket by curl, which signs the request itself; nil where there is none.
    func read(_ name: String, with tool: Tool) async throws -> String? {
        let outcome = try await ask("/\(prefix)/\(name)", with: tool)
        var lines = outcome.standardOutput.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.popLast() == "200" else { return nil }
        return lines.joined(separator: "\n")
    }

    /// How many files are below folders, and how many bytes they have. A list has 1,000 names.
    func size(of folders: [String], with tool: Tool) async throws -> (count: Int, bytes: Int) {
        var (count, bytes) = (0, 0)
        for folder in folders {
            let list = try await ask("/?list-type=2&prefix=\(prefix)%2F\(folder)%2F", with: tool).standardOutput
            try #require(list.contains("<IsTruncated>false</IsTruncated>"), "\(list.prefix(500))")
            let sizes = list.matches(of: /<Size>(\d+)<\/Size>/).compactMap { Int($0.output.1) }
            count += sizes.count
            bytes += sizes.reduce(0, +)
        }
        return (count, bytes)
    }

    /// The names of all files below the prefix, at most 1,000.
    func names(with tool: Tool) async throws -> [String] {
        let list = try await ask("/?list-type=2&prefix=\(prefix)%2F", with: tool).standardOutput
        try #require(list.contains("<IsTruncated>false</IsTruncated>"), "\(list.prefix(500))")
        return list.matches(of: /<Key>([^<]*)<\/Key>/).map { String($0.output.1.dropFirst(prefix.count + 1)) }
    }

    /// Copies a file as a bucket's replication does, with its type and caching.
    func copy(_ name: String, to other: ToolStorage, with tool: Tool) async throws {
        try await tool.shell(
            """
            curl -sf -X PUT --aws-sigv4 aws:amz:\(SeaweedServer.region):s3 \
            --user '\(SeaweedServer.keyID):\(SeaweedServer.secret)' \
            -H 'x-amz-copy-source: /\(SeaweedServer.bucket)/\(prefix)/\(name)' \
            '\(other.server.endpoint)/\(SeaweedServer.bucket)/\(other.prefix)/\(name)'
            """
        ).expectSuccess()
    }

    func remove(_ name: String, with tool: Tool) async throws {
        try await tool.shell(
            """
            curl -s -f -X DELETE --aws-sigv4 aws:amz:\(SeaweedServer.region):s3 \
            --user '\(SeaweedServer.keyID):\(SeaweedServer.secret)' \
            '\(server.endpoint)/\(SeaweedServer.bucket)/\(prefix)/\(name)'
            """
        ).expectSuccess()
    }

    private func ask(_ path: String, with tool: Tool) async throws -> Outcome {
        try await tool.shell(
            """
            curl -s -w '\\n%{http_code}' --aws-sigv4 aws:amz:\(SeaweedServer.region):s3 \
            --user '\(SeaweedServer.keyID):\(SeaweedServer.secret)' '\(server.endpoint)/\(SeaweedServer.bucket)\(path)'
            """)
    }
}

extension Tool {
    /// The environment of a machine that has the online key, and nothing else of the registry.
    /// - Parameter onlineKey: nil: the registry's.
    func serverMachine(_ folder: String, onlineKey: Data? = nil) throws -> [String: String] {
        let key = "\(folder)/keys/online.json"
        try write([key: String(decoding: onlineKey ?? read("files/keys/online.json"), as: UTF8.self)])
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: self.folder.appending(path: key).path)
        return ["PACKTOOL_FILES": folder]
    }

    /// A running server, and its URL.
    func startServer(
        _ environment: [String: String] = [:], _ flags: [String] = []
    ) async throws -> (running: RunningTool, url: String) {
        let running = try start(["serve", "--port", "0"] + flags, environment: environment)
        let line = try #require(await running.line(holding: "http://127.0.0.1:"), "it did not start: \(running.log)")
        return (running, String(try #require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output))
    }
}
