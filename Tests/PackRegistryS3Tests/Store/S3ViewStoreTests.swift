import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryS3

/// What the view costs in requests: stores charge for each of them.
@Suite("S3ViewStoreTests") struct S3ViewStoreTests {
    private static let paths = (1...5).map { ViewPath.metadata(.snapshot, version: $0) }

    @Test func `a change is one question and one write a file, and one write for the timestamp`() async throws {
        let bench = try await S3Bench()
        let proxy = try await FaultProxy(before: bench.server.endpoint)
        let view = try await bench.store(endpoint: proxy.endpoint).view
        func methods() -> [String] { proxy.seen.map { String($0.prefix { $0 != " " }) }.sorted() }
        try await view.put([ViewFile(Self.paths[0]) { [1] }])
        try await view.show([0], replacing: nil)

        proxy.plan { _, _ in .none }
        #expect(try await view.read(.timestamp, maximumByteCount: 100) == [0])
        try await view.put(Self.paths.map { path in ViewFile(path) { [1] } })
        try await view.show([1], replacing: [0])
        let expected = ["GET"] + Array(repeating: "HEAD", count: 5) + Array(repeating: "PUT", count: 5)
        #expect(methods() == expected)

        // Whoever showed the last one knows its tag.
        proxy.plan { _, _ in .none }
        try await view.show([2], replacing: [1])
        #expect(methods() == ["PUT"])
    }

    @Test func `what is new is sent without a question, and what is there stays`() async throws {
        let bench = try await S3Bench()
        let proxy = try await FaultProxy(before: bench.server.endpoint)
        let view = try await bench.store(endpoint: proxy.endpoint).view
        try await view.put([ViewFile(Self.paths[0]) { [0] }])
        proxy.plan { _, _ in .none }
        try await view.add(Self.paths.map { path in ViewFile(path) { [1] } })
        #expect(proxy.seen.count == 5 && proxy.seen.allSatisfy { $0.hasPrefix("PUT ") }, "\(proxy.seen)")
        #expect(try await view.read(Self.paths[0], maximumByteCount: 9) == [0])
        #expect(try await view.read(Self.paths[4], maximumByteCount: 9) == [1])
    }

    @Test func `many servers show their timestamps one after the other`() async throws {
        let bench = try await S3Bench()
        let views = try await ParallelRequests(bench.bucket()).map(Array(0..<4)) { _ in try await bench.store().view }
        try await views[0].show([0, 0], replacing: nil)
        let wins = await withTaskGroup(of: Int.self) { group in
            for (index, view) in views.enumerated() {
                group.addTask {
                    var wins = 0
                    for _ in 1...40 {
                        guard let shown = try? await view.read(.timestamp, maximumByteCount: 9) else { continue }
                        // No two servers sign the same timestamp.
                        let next = [shown[0] + 1, UInt8(index)]
                        guard (try? await view.show(next, replacing: shown)) != nil else { continue }
                        wins += 1
                    }
                    return wins
                }
            }
            return await group.reduce(0, +)
        }
        // Each success raised it by one, and nothing else did.
        #expect(try await views[0].read(.timestamp, maximumByteCount: 9)?.first == UInt8(wins))
        #expect(wins > 10)
    }
}
