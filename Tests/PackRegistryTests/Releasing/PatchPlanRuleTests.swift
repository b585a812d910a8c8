import PackFormat
import Testing

@testable import PackRegistry

/// Which patches are made ahead.
struct PatchPlanRuleTests {
    private func end(_ text: String) throws -> PatchEnd {
        let parts = text.split(separator: " ").map(String.init)
        return PatchEnd(
            name: VersionName(try PackageID(parts[0]), try SemanticVersion(parts[1])),
            manifest: Digest(of: Array(text.utf8)))
    }

    private func candidate(
        _ base: String, devices: Int?, lost: Int = 1_000_000, new: Int = 1_000_000, full: Int = 4_000_000,
        _ state: PatchPlanRule.State = .open, package: String = "shop"
    ) throws -> PatchPlanRule.Candidate {
        PatchPlanRule.Candidate(
            base: try end("\(package) \(base)"), target: try end("\(package) 2.0.0"), devices: devices,
            lostByteCount: lost,
            newByteCount: new, fullByteCount: full, state: state)
    }

    private func plan(_ candidates: [PatchPlanRule.Candidate], _ budget: PatchBudget = PatchBudget()) -> [String] {
        PatchPlanRule(budget: budget).plan(candidates).map {
            "\($0.candidate.base.name.version) \($0.decision.rawValue)"
        }
    }

    @Test func `what saves most for its work comes first, and the budget ends the list`() throws {
        let candidates = [
            try candidate("1.0.0", devices: 10), try candidate("1.1.0", devices: 1_000),
            // As many devices, ten times the work.
            try candidate("1.2.0", devices: 1_000, lost: 10_000_000, new: 10_000_000),
            try candidate("1.3.0", devices: 0),
        ]
        #expect(plan(candidates) == ["1.1.0 make", "1.2.0 make", "1.0.0 make", "1.3.0 make"])
        // 2 MB of work are one second; the 20 MB of 1.2.0 are eight.
        let short = PatchBudget(seconds: 2, byteCount: 1 << 30)
        #expect(plan(candidates, short) == ["1.1.0 make", "1.2.0 overBudget", "1.0.0 make", "1.3.0 overBudget"])
        // About 100,000 bytes each.
        let small = PatchBudget(seconds: 600, byteCount: 250_000)
        #expect(plan(candidates, small) == ["1.1.0 make", "1.2.0 overBudget", "1.0.0 make", "1.3.0 overBudget"])
    }

    @Test func `patches that are there take space and no work, and tell the size of the others of their package`()
        throws
    {
        let made = try candidate("1.0.0", devices: 5, .made(byteCount: 500_000))
        let choices = PatchPlanRule(budget: PatchBudget(seconds: 600, byteCount: 1_200_000)).plan([
            made, try candidate("1.1.0", devices: 4), try candidate("1.2.0", devices: 3),
            try candidate("1.0.0", devices: 3, package: "blog"),
        ])
        let found = choices.map { "\($0.candidate.base.name) \($0.decision.rawValue) \($0.byteCount)" }
        #expect(
            Set(found) == [
                "shop 1.0.0 made 500000", "shop 1.1.0 make 500000", "shop 1.2.0 overBudget 500000",
                "blog 1.0.0 make 100000",
            ])
        #expect(choices.first { $0.decision == .made }?.savedByteCount == 3_500_000)
    }

    @Test func `what would save nothing is not made`() throws {
        let candidates = [
            try candidate("1.0.0", devices: 9, .worthless),
            try candidate("1.1.0", devices: 9, new: 50_000_000, full: 4_000_000),
        ]
        #expect(Set(plan(candidates)) == ["1.0.0 worthless", "1.1.0 worthless"])
        #expect(PatchPlanRule(budget: PatchBudget()).plan([]).isEmpty)
    }

    @Test func `without reports a base counts as one device, and the order does not depend on that of the candidates`()
        throws
    {
        let candidates = [
            try candidate("1.0.0", devices: nil), try candidate("1.1.0", devices: 2),
            try candidate("1.2.0", devices: 0),
        ]
        #expect(plan(candidates) == ["1.1.0 make", "1.0.0 make", "1.2.0 make"])
        let equal = try (0..<6).map { try candidate("1.\($0).0", devices: 1) }
        #expect(plan(equal) == plan(equal.reversed()))
    }

    @Test func `a huge budget is no overflow`() throws {
        #expect(
            plan([try candidate("1.0.0", devices: 1)], PatchBudget(seconds: .max, byteCount: .max)) == ["1.0.0 make"])
    }
}
