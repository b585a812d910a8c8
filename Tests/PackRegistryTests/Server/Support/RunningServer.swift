import Foundation
import Logging

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryServer

/// A server on a free port of the loopback, with real sockets, for the time of a test.
struct RunningServer {
    let port: Int

    var url: String { "http://127.0.0.1:\(port)" }

    static func with<Result: Sendable>(
        _ host: any RegistryHost, limits: ServerLimits = ServerLimits(), logger: Logger? = nil,
        adapters: AdapterSettings? = nil, internalIssuers: Bool = false,
        _ body: @escaping @Sendable (RunningServer) async throws -> Result
    ) async throws -> Result {
        var silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        silent.logLevel = .critical
        var configuration = RegistryServer.Configuration(port: 0, limits: limits)
        configuration.adapters = adapters
        configuration.allowsInternalIssuers = internalIssuers
        let server = RegistryServer(host: host, configuration: configuration, logger: logger ?? silent)
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try await server.run { continuation.yield($0) }
                return nil
            }
            group.addTask {
                for await port in ports { return try await body(RunningServer(port: port)) }
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw RegistryError(.unusable, "the server ended before the test")
        }
    }

    func connection(timeout: Int = 30, client: UInt8 = 1) throws -> RawConnection {
        try RawConnection(port: port, timeout: timeout, client: client)
    }

    /// One request on a connection of its own.
    func ask(
        _ method: String, _ target: String, _ fields: [String: String] = [:], body: [UInt8]? = nil,
        client: UInt8 = 1
    ) async throws -> RawAnswer {
        let connection = try connection(client: client)
        await connection.send(Self.request(method, target, fields, body: body))
        return try await connection.answer(toHead: method == "HEAD")
    }

    static func request(
        _ method: String, _ target: String, _ fields: [String: String] = [:], body: [UInt8]? = nil
    ) -> [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"]
        lines += fields.map { "\($0.key): \($0.value)" }
        if let body { lines.append("Content-Length: \(body.count)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
    }
}
