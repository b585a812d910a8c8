import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackUpdater

struct PackageStateTests {
    typealias Installed = PackageState.Installed

    func version(_ number: Int, release: String? = "r") throws -> Installed {
        try Installed(
            id: VersionID(
                version: SemanticVersion("1.\(number).0"), manifest: Digest(of: Array("manifest \(number)".utf8))),
            release: release.map { PackageState.ReleaseMark(id: "\($0)\(number)", retry: 0) })
    }

    /// A state in which version 1 works and version 2 is active.
    func updated() throws -> PackageState {
        var state = PackageState()
        try state.stage(version(1))
        _ = state.activate()
        _ = state.recordStart(token: "first", limit: 2)
        _ = try state.confirm(SemanticVersion("1.1.0"), token: "first")
        try state.stage(version(2))
        _ = state.activate()
        return state
    }

    @Test func `a version goes from absent to staged to active to confirmed`() throws {
        var state = PackageState()
        #expect(state.active == nil)
        let isStaged = try state.stage(version(1))
        #expect(isStaged)
        #expect(state.active == nil)
        _ = state.activate()
        try #expect(state.active?.installed == version(1))
        #expect(state.active?.isConfirmed == false)
        _ = state.recordStart(token: "load", limit: 2)
        let outcome = try state.confirm(SemanticVersion("1.1.0"), token: "load")
        try #expect(outcome == .confirmed(version(1)))
        #expect(state.active?.isConfirmed == true)
        try #expect(state.lastWorking == version(1))
    }

    @Test func `a version that is not confirmed within its starts goes back to the last confirmed one`() throws {
        var state = try updated()
        for start in 1...2 {
            let (outcome, wentBack) = state.recordStart(token: "load \(start)", limit: 2)
            try #expect(outcome == .started(version(2)))
            #expect(wentBack == nil)
        }
        let (outcome, wentBack) = state.recordStart(token: "load 3", limit: 2)
        try #expect(outcome == .started(version(1)))
        try #expect(wentBack?.from == version(2))
        try #expect(wentBack?.to == version(1))
        #expect(state.active?.isConfirmed == true)
        try #expect(state.failures.map(\.id) == [version(2).id])
    }

    @Test func `the ready call of the page before cannot confirm the new version`() throws {
        var state = try updated()
        _ = state.recordStart(token: "new load", limit: 2)
        let two = try SemanticVersion("1.2.0")
        guard case .refused = state.confirm(two, token: "first") else { Issue.record("confirmed"); return }
        guard case .refused = try state.confirm(SemanticVersion("1.1.0"), token: "new load") else {
            Issue.record("confirmed")
            return
        }
        #expect(state.active?.isConfirmed == false)
        let outcomes = [state.confirm(two, token: "new load"), state.confirm(two, token: "new load")]
        try #expect(outcomes == [.confirmed(version(2)), .alreadyConfirmed])
    }

    @Test func `a failed version waits for a newer release or a higher retry count`() throws {
        var state = try updated()
        _ = state.goBack(reason: "broken")
        let failed = try version(2).id
        func release(_ id: String, retry: Int = 0) throws -> Release {
            try Release(id: id, offer: .version(failed.version, manifest: failed.manifest), retry: retry)
        }
        let same = try release("r2")
        #expect(state.failure(blocking: same, in: [same]) != nil)
        let older = try release("r1")
        #expect(state.failure(blocking: older, in: [same, older]) != nil)
        let newer = try release("r3")
        #expect(state.failure(blocking: newer, in: [newer, same]) == nil)
        let again = try release("r2", retry: 1)
        #expect(state.failure(blocking: again, in: [again]) == nil)
    }

    @Test func `without a confirmed version it goes back to the preset, and from the preset nowhere`() throws {
        var state = PackageState()
        try state.embed(version(1, release: nil))
        _ = state.activate()
        try state.stage(version(2))
        _ = state.activate()
        let wentBack = [state.goBack(reason: "broken"), state.goBack(reason: "broken too")]
        try #expect(wentBack.map { $0?.to } == [version(1, release: nil), nil])
        try #expect(state.active?.installed == version(1, release: nil))
    }

    @Test func `the first version of all that fails leaves nothing`() throws {
        var state = PackageState()
        try state.stage(version(1))
        _ = state.activate()
        let wentBack = state.goBack(reason: "broken")
        #expect(wentBack != nil && wentBack?.to == nil)
        #expect(state.active == nil)
        let start = state.recordStart(token: "load", limit: 2)
        #expect(start.outcome == .nothing)
    }

    @Test func `going back to what the app embeds, where it embeds nothing, is going back to what worked`() throws {
        var state = try updated()
        let mark = PackageState.ReleaseMark(id: "r9", retry: 0)
        state.stageEmbedded(release: mark)
        _ = state.activate()
        try #expect(state.active?.installed == version(1))
        #expect(state.active?.isConfirmed == true)
        let isStaged = state.stageEmbedded(release: mark)
        #expect(!isStaged)
        // The publisher's own word is another matter.
        state.stageEmbedded(release: mark, isWithdrawn: true)
        _ = state.activate()
        #expect(state.active == nil)
        try #expect(state.lastWorking == version(1))
    }

    @Test func `where a confirmed version is withdrawn, the one that was confirmed before it comes back`() throws {
        var state = try updated()
        _ = state.recordStart(token: "load", limit: 2)
        _ = try state.confirm(SemanticVersion("1.2.0"), token: "load")
        state.stageEmbedded(release: PackageState.ReleaseMark(id: "r9", retry: 0), isWithdrawn: true)
        _ = state.activate()
        try #expect(state.active?.installed == version(1))
        #expect(state.active?.isConfirmed == true)
    }

    @Test func `while nothing was ever confirmed, the version that ran before is kept and come back to`() throws {
        var state = PackageState()
        for number in 1...2 {
            try state.stage(version(number))
            _ = state.activate()
            _ = state.recordStart(token: "load \(number)", limit: 2)
        }
        try #expect(state.kept == [version(2), version(1)])
        let wentBack = state.goBack(reason: "broken")
        try #expect(wentBack?.to == version(1))
        #expect(state.active?.isConfirmed == false)
        try #expect(state.failures.map(\.id) == [version(2).id])
        // It failed, so it is nothing to come back to from the next one.
        try state.stage(version(3))
        _ = state.activate()
        try #expect(state.unproven == version(1))
        _ = state.recordStart(token: "load 3", limit: 2)
        _ = try state.confirm(SemanticVersion("1.3.0"), token: "load 3")
        try #expect(state.kept == [version(3)])
    }

    @Test func `the time of the first unconfirmed start stays until the version is confirmed`() throws {
        var state = try updated()
        #expect(state.active?.unconfirmedSince == nil)
        _ = state.recordStart(token: "one", limit: 2, now: 1000)
        _ = state.recordStart(token: "two", limit: 2, now: 2000)
        #expect(state.active?.unconfirmedSince == 1000)
        _ = try state.confirm(SemanticVersion("1.2.0"), token: "two")
        #expect(state.active?.unconfirmedSince == nil)
    }

    @Test func `a version that was confirmed before is confirmed when it comes back`() throws {
        var state = try updated()
        try state.stage(version(1))
        _ = state.activate()
        #expect(state.active?.isConfirmed == true)
        #expect(state.previous == nil)
    }

    @Test func `the state survives its own bytes`() throws {
        var store = StoreState(deviceID: "d")
        var state = try updated()
        _ = state.recordStart(token: "load", limit: 2, now: 1_700_000_000_123)
        state.unproven = try version(7)
        try state.stage(version(3))
        try state.embed(version(0, release: nil))
        state.decision = "because"
        store[try PackageID("a")] = state
        _ = state.goBack(reason: "broken")
        state.embedded = nil
        state.staged = .nothing(PackageState.ReleaseMark(id: "e", retry: 3))
        store[try PackageID("b")] = state
        store.presets = [Digest(of: [1])]
        #expect(try StoreState(parsing: store.bytes) == store)
    }

    /// The invariant: once a version was confirmed, there is always one that worked.
    @Test func `no sequence of steps loses the last version that worked`() throws {
        for seed in 0..<400 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var state = PackageState()
            var everWorked: Set<VersionID> = []
            for _ in 0..<60 {
                switch Int.random(in: 0..<9, using: &random) {
                case 0, 1: try state.stage(version(Int.random(in: 0..<5, using: &random)))
                case 2: _ = state.activate()
                case 3, 4:
                    _ = state.recordStart(token: "\(random.next())", limit: Int.random(in: 1...3, using: &random))
                case 5:
                    if let active = state.active, let token = active.loads.randomElement(using: &random) {
                        if case .confirmed(let installed) = state.confirm(active.id.version, token: token) {
                            everWorked.insert(installed.id)
                        }
                    }
                case 6: _ = state.goBack(reason: "asked")
                case 7:
                    let works = state.active?.isConfirmed == true && state.embedded == nil
                    let isStaged = state.stageEmbedded(
                        release: PackageState.ReleaseMark(id: "e", retry: 0), isWithdrawn: Bool.random(using: &random))
                    if works, isStaged { #expect(state.staged == .nothing(.init(id: "e", retry: 0)), "seed \(seed)") }
                default: try state.embed(version(Int.random(in: 0..<5, using: &random), release: nil))
                }
                if !everWorked.isEmpty {
                    let working = try #require(state.lastWorking, "seed \(seed)")
                    #expect(everWorked.contains(working.id), "seed \(seed)")
                    #expect(state.kept.contains { $0.id == working.id }, "seed \(seed)")
                }
                if state.lastWorking != nil { #expect(state.unproven == nil, "seed \(seed)") }
                if let active = state.active, active.isConfirmed { #expect(everWorked.contains(active.id)) }
                #expect(state.previous == nil || state.previous?.id != state.active?.id, "seed \(seed)")
            }
        }
    }
}
