import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// A server that dies while devices report.
@Suite("ReportKillTests") struct ReportKillTests {
    /// How often the server is killed; 100 in a soak.
    private static let kills = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == "1" ? 100 : 8

    @Test func `nothing that was acknowledged is lost over kill -9, and what is sent again counts once`() async throws {
        let (shop, _) = try await ReportServerTests.stocked()
        let acknowledged = Locked<Set<Int>>([])
        var generator = SystemRandomNumberGenerator()
        var sender = 0
        for _ in 0..<Self.kills {
            let server = try ServeProcess(
                "--port", "0", "--registry", shop.project.registry.path, "--max-reports-per-network", "0", "--quiet")
            let port = try await server.port()
            let senders = (sender..<sender + 400)
            sender += 400
            let process = server.identifier
            let pause = Int.random(in: 5...150, using: &generator)
            await withTaskGroup { group in
                group.addTask {
                    try? await Task.sleep(for: .milliseconds(pause))
                    kill(process, SIGKILL)
                }
                // Four devices at a time, each with a connection of its own.
                for lane in 0..<4 {
                    group.addTask {
                        guard let connection = try? RawConnection(port: port, timeout: 5) else { return }
                        for number in senders where number % 4 == lane {
                            guard let body = try? ReportServerTests.batch(number, [.activated, .confirmed]) else {
                                return
                            }
                            await connection.send(
                                RunningServer.request("POST", "/v1/reports", ReportServerTests.json, body: body))
                            guard let answer = try? await connection.answer(), answer.status == 200 else { return }
                            acknowledged.withLock { _ = $0.insert(number) }
                        }
                    }
                }
            }
            _ = try await server.end()
        }
        let known = acknowledged.withLock { $0 }
        #expect(known.count > Self.kills, "the server answered before it was killed")
        let local = try await LocalRegistry.open(shop.project.registry)
        let registry = local.registry(as: .local(user: "ann"))
        var lost: [Int] = []
        for number in known {
            let hex = String(number, radix: 16)
            let id = try ReportID(String(repeating: "0", count: 32 - hex.count) + hex)
            if try await registry.reports(of: id).count != 2 { lost.append(number) }
        }
        #expect(lost.isEmpty)
        // Each device sends all of it again, as one does that got no answer.
        let before = try await registry.stats(StatsQuery(channel: channel()))
        try await RunningServer.with(local, limits: Self.open) { server in
            for number in known {
                let body = try ReportServerTests.batch(number, [.activated, .confirmed])
                let answer = try await server.ask("POST", "/v1/reports", ReportServerTests.json, body: body)
                #expect(try ReportServerTests.receipt(answer) == [0, 2, 0, 0])
            }
        }
        let after = try await registry.stats(StatsQuery(channel: channel()))
        #expect(after.versions == before.versions)
        #expect(after.versions.first?.activated ?? 0 >= known.count)
    }

    private static var open: ServerLimits {
        var limits = ServerLimits()
        limits.reportCaps.perNetwork = 0
        return limits
    }
}
