import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI

/// What a change is said to do.
struct ReleaseEffectTests {
    private static func release(_ id: String, _ minor: Int, percent: Int = 100, set: String? = nil) throws -> Release {
        try Release(
            id: id,
            offer: .version(SemanticVersion("1.\(minor).0"), manifest: Digest(of: Array("\(minor)".utf8))),
            rollout: Rollout(percent: percent), set: set)
    }

    @Test func `a way back to the version beneath is not said to leave that version`() throws {
        let shop = try PackageID("shop")
        let now = Date(timeIntervalSince1970: 1)
        let (old, new) = try (Self.release("1-x", 0, set: "set-1"), Self.release("2-x", 1, percent: 30))
        let history = ReleaseHistory()
            .applying([.add(old)], by: "mia", now: now).applying([.add(new)], by: "mia", now: now)
        let steps: [ReleaseHistory.Step] = try [
            .remove(new.id), .remove(old.id), .add(Self.release("3-x", 0, set: "set-1")),
        ]
        let text = try ReleaseEffect(
            on: ChannelName("beta"), before: [shop: history], steps: [shop: steps], by: "mia", now: now
        ).text
        #expect(
            text
                == "beta: 100 % of the devices get shop 1.0.0 in place of 1.1.0 (30 %), 1.0.0, and 30 % of the devices leave shop 1.1.0"
        )
    }
}
