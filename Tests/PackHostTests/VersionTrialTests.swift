import Foundation
import PackFormat
import PackHost
import PackUpdater
import PackWeb
import Testing

/// A version that does not work is left for the one before it.
@Suite(.serialized)
@MainActor
struct VersionTrialTests {
    /// A view that notes what it is told.
    private final class View: TrialView {
        var isElsewhere = false
        var shown: Digest?
        var answers = true
        private(set) var faults: [TrialFault] = []

        func load(of version: Digest) -> Int? { version == shown ? 1 : nil }
        func isAnswering(within time: Duration) async -> Bool { answers }
        func versionFailed(_ fault: TrialFault) { faults.append(fault) }
    }

    private static let address = "https://shop.package/"

    /// Version 1.0.0 confirmed, 2.0.0 installed and its page started.
    private static func started(
        _ registry: ServedRegistry, deadline: Duration
    ) async throws -> (PackHost, StartedPage) {
        let host = try registry.host { $0.readyDeadline = deadline }
        var last: StartedPage?
        for version in ["1.0.0", "2.0.0"] {
            if let last { try await host.confirm(last) }
            try registry.publish(version, ["index.html": "<title>\(version)</title>"])
            try await host.update(.list([registry.shop]))
            let view = ShownPage(host)
            _ = await view.load(address)
            if case .started(let page) = try await view.start(address, in: host) { last = page }
        }
        return (host, try #require(last))
    }

    private func wait(_ isTrue: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(15)
        while !isTrue(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(50)) }
    }

    @Test func `one that is not confirmed in its time is left, once nobody else's page is on view`() async throws {
        let registry = try ServedRegistry()
        let (host, page) = try await Self.started(registry, deadline: .seconds(1))
        let view = View()
        view.isElsewhere = true
        let trial = VersionTrial(of: registry.shop, in: host, readyTimeout: .seconds(1))
        trial.view = view
        await trial.begin(page)
        try await Task.sleep(for: .seconds(2.5))
        #expect(view.faults == [])
        view.isElsewhere = false
        try await wait { !view.faults.isEmpty }
        #expect(view.faults == [.late(page.digest)])
        let left = try await trial.goBack(from: page.digest, reason: "it was late")
        #expect(try left?.from == SemanticVersion("2.0.0") && left?.to == SemanticVersion("1.0.0"))
        // It is not the active one any more.
        #expect(try await trial.goBack(from: page.digest, reason: "again") == nil)
    }

    @Test func `one that hangs after its confirmation is left, and one that has proved itself stays`() async throws {
        let registry = try ServedRegistry()
        let (host, page) = try await Self.started(registry, deadline: .seconds(60))
        let view = View()
        view.shown = page.digest
        let trial = VersionTrial(of: registry.shop, in: host, readyTimeout: .seconds(60))
        trial.view = view
        await trial.begin(page)
        try await host.confirm(page)
        // Confirmed, and not on probation: whatever its page does, it is no reason to leave it.
        #expect(try await trial.goBack(from: page.digest, reason: "a page of it crashed") == nil)
        trial.end(page)
        view.answers = false
        try await wait { !view.faults.isEmpty }
        #expect(view.faults == [.hangs(VersionTrial.longestHang)])
        let left = try await trial.goBack(from: page.digest, reason: "it hangs")
        #expect(try left?.to == SemanticVersion("1.0.0"))
    }
}
