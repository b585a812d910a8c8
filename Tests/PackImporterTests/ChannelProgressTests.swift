import Foundation
import PackFormat
import PackRegistryAPI
import Testing

@testable import PackImporter

struct ChannelProgressTests {
    private static func progress(
        _ present: [String], rolledBackFrom: String? = nil, withdrawn: [String] = []
    ) throws -> ChannelProgress {
        let planned = try ["1.0.0", "2.0.0", "1.0.1"].map {
            try ImportPlan.Offer(version: SemanticVersion($0), created: nil, share: .whole, isMandatory: false)
        }
        let releases = try present.map {
            try Release(id: "r", offer: .version(SemanticVersion($0), manifest: Digest(of: [])))
        }
        let rollback = try rolledBackFrom.map {
            try RegistryOverview.Rollback(
                from: SemanticVersion($0), to: nil, by: "ann", time: .distantPast, reason: "")
        }
        return try ChannelProgress(
            planned, on: ChannelName("stable"), present: releases, rollback: rollback,
            withdrawn: Set(withdrawn.map { try SemanticVersion($0) }))
    }

    private static func left(_ progress: ChannelProgress) -> [String] { progress.offers.map(\.version.description) }

    @Test func `an import goes on from what the channel offers`() throws {
        #expect(try Self.left(Self.progress([])) == ["1.0.0", "2.0.0", "1.0.1"])
        #expect(try Self.left(Self.progress(["2.0.0", "1.0.0"])) == ["1.0.1"])
        let done = try Self.progress(["1.0.1"])
        #expect(Self.left(done) == [] && done.reason == nil)
        #expect(try Self.left(Self.progress([], withdrawn: ["2.0.0"])) == ["1.0.0", "1.0.1"])
    }

    @Test func `a channel that somebody has taken over is left as it is`() throws {
        let other = try Self.progress(["3.0.0"])
        #expect(Self.left(other) == [] && other.reason?.contains("3.0.0, which is not of this export") == true)
        let back = try Self.progress(["1.0.0"], rolledBackFrom: "2.0.0")
        #expect(Self.left(back) == [] && back.reason?.contains("rolled back from 2.0.0 by ann") == true)
    }
}
