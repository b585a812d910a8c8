import Foundation
import TestSupport
import Testing

/// Requests whose answer takes long.
struct WaitingRequestTests {
    @Test func `a command that waits for an answer leaves the processor alone`() async throws {
        let server = try await LoopbackServer { _ in
            try? await Task.sleep(for: .seconds(30))
            return .close
        }
        defer { server.stop() }
        let outcome = try await Tool().shell(
            "TIMEFORMAT='%R %U %S'; time timeout 5 '\(Tool.executable.path)' status --registry \(server.endpoint)")
        let line = try #require(outcome.standardError.split(separator: "\n").last, "\(outcome)")
        let seconds = line.split(separator: " ").compactMap { Double($0) }
        try #require(seconds.count == 3 && seconds[0] > 4.5, "\(outcome)")
        // FoundationNetworking by itself takes a whole core meanwhile (CCurlHandles).
        #expect(seconds[1] + seconds[2] < 1, "\(outcome)")
    }
}
