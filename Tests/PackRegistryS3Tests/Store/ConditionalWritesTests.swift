import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PackRegistryAPI
@testable import PackRegistryS3

/// A store that cannot compare and swap must not have a registry.
@Suite("ConditionalWritesTests") struct ConditionalWritesTests {
    private static let environment = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"]

    private static func open(_ server: LoopbackServer) async throws -> S3Store {
        try await S3Store.open(
            S3Address("s3://packages?endpoint=\(server.endpoint)"), environment: environment, limits: S3Bench.quick)
    }

    @Test func `a store that takes no notice of conditions is refused, each time`() async throws {
        let server = try await LoopbackServer { _ in .answer(200, fields: [("ETag", "\"1\"")]) }
        for _ in 1...2 {
            let error = await #expect(throws: RegistryError.self) { try await Self.open(server) }
            #expect(error?.kind == .unusable)
            #expect(error?.message.contains("does not support conditional writes (If-None-Match)") == true)
        }
    }

    @Test func `a store that knows only one of the conditions is refused`() async throws {
        let isThere = Mutex(false)
        let server = try await LoopbackServer { request in
            guard request.field("If-None-Match") != nil else { return .answer(200, fields: [("ETag", "\"1\"")]) }
            let wasThere = isThere.withLock { isThere in
                defer { isThere = true }
                return isThere
            }
            return wasThere ? .answer(412) : .answer(200, fields: [("ETag", "\"1\"")])
        }
        for _ in 1...2 {
            let error = await #expect(throws: RegistryError.self) { try await Self.open(server) }
            #expect(error?.message.contains("(If-Match)") == true)
        }
    }

    @Test func `a store that says it does not know them is refused with its words`() async throws {
        let body = "<Error><Code>NotImplemented</Code><Message>A header you provided</Message></Error>"
        let server = try await LoopbackServer { _ in .answer(501, body: Array(body.utf8)) }
        let error = await #expect(throws: RegistryError.self) { try await Self.open(server) }
        #expect(error?.message.contains("A header you provided") == true)
        #expect(error?.message.contains("conditional writes") == true)
    }

    @Test func `a sound store is opened with two requests, and shows what they are for`() async throws {
        let bench = try await S3Bench()
        let proxy = try await FaultProxy(before: bench.server.endpoint)
        _ = try await bench.store(endpoint: proxy.endpoint)
        #expect(proxy.seen.count == 4)
        proxy.plan { _, _ in .none }
        _ = try await bench.store(endpoint: proxy.endpoint)
        #expect(proxy.seen.count == 2)
        #expect(try await bench.listing().keys.sorted() == [ConditionalWrites.name])
    }

    @Test func `many may open a new store at once`() async throws {
        let bench = try await S3Bench()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...12 { group.addTask { _ = try await bench.store() } }
            try await group.waitForAll()
        }
    }
}
