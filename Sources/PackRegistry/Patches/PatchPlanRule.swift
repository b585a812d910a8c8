package import PackFormat

/// Chooses the patches that are made before a device asks: those that save the most bytes for the work that they are. Pure.
/// `PatchPairs` of PackRegistryLocal finds the pairs of versions; `PatchPlan` of PackPatch has the objects of one pair.
///
///     let plan = PatchPlanRule(budget: PatchBudget()).plan(candidates)
///     for choice in plan where choice.decision == .make { … }
package struct PatchPlanRule: Sendable {
    /// What is known of a patch that could be made.
    package struct Candidate: Hashable, Sendable {
        package let base: PatchEnd
        package let target: PatchEnd
        /// Devices that reported to have the base; nil: no device of the channel reports, and the base was offered lately.
        package let devices: Int?
        /// Bytes of the objects that only the base has, and that only the target has.
        package let lostByteCount: Int
        package let newByteCount: Int
        /// What a device downloads without a patch.
        package let fullByteCount: Int
        package let state: State

        package init(
            base: PatchEnd, target: PatchEnd, devices: Int?, lostByteCount: Int, newByteCount: Int, fullByteCount: Int,
            state: State
        ) {
            self.base = base
            self.target = target
            self.devices = devices
            self.lostByteCount = lostByteCount
            self.newByteCount = newByteCount
            self.fullByteCount = fullByteCount
            self.state = state
        }

        /// The bytes that making it works on.
        package var work: Int { lostByteCount + newByteCount }
    }

    /// Whether there is a patch already.
    package enum State: Hashable, Sendable {
        case open, made(byteCount: Int)
        /// It was made, and is not smaller than the full download; or it is too much work.
        case worthless
    }

    package enum Decision: String, Hashable, Sendable {
        /// It is there.
        case made
        /// It is to be made.
        case make
        /// It would save nothing.
        case worthless
        /// The budget is used up by what saves more for its work.
        case overBudget
    }

    package struct Choice: Hashable, Sendable {
        package let candidate: Candidate
        package let decision: Decision
        /// The size of the patch; of one that is not there about.
        package let byteCount: Int
        /// What a device saves with it.
        package var savedByteCount: Int { max(0, candidate.fullByteCount - byteCount) }
    }

    /// The size of a patch to the bytes that are new, where no patch of the package shows it: the middle of the public builds that
    /// docs/BENCHMARKS.md measures is lower.
    private static let usualRatio = 0.1

    package let budget: PatchBudget

    package init(budget: PatchBudget) {
        self.budget = budget
    }

    /// What saves most for its work comes first. Patches that are there count for the space.
    package func plan(_ candidates: [Candidate]) -> [Choice] {
        let ratios = Self.ratios(candidates)
        let judged = candidates.map { candidate -> Choice in
            switch candidate.state {
            case .made(let byteCount): return Choice(candidate: candidate, decision: .made, byteCount: byteCount)
            case .worthless: return Choice(candidate: candidate, decision: .worthless, byteCount: 0)
            case .open:
                let ratio = ratios[candidate.target.name.package] ?? Self.usualRatio
                let byteCount = Int((Double(candidate.newByteCount) * ratio).rounded(.up))
                return Choice(
                    candidate: candidate, decision: byteCount < candidate.fullByteCount ? .make : .worthless,
                    byteCount: byteCount)
            }
        }.sorted(by: Self.isBefore)
        var work = 0
        var space = judged.lazy.filter { $0.decision == .made }.reduce(0) { $0 + $1.byteCount }
        return judged.map { choice in
            guard choice.decision == .make else { return choice }
            guard work + choice.candidate.work <= budget.workByteCount, space + choice.byteCount <= budget.byteCount
            else {
                return Choice(candidate: choice.candidate, decision: .overBudget, byteCount: choice.byteCount)
            }
            work += choice.candidate.work
            space += choice.byteCount
            return choice
        }
    }

    /// What the patches of each package that are there take of the bytes that are new in them.
    private static func ratios(_ candidates: [Candidate]) -> [PackageID: Double] {
        var sums: [PackageID: (made: Int, new: Int)] = [:]
        for candidate in candidates {
            guard case .made(let byteCount) = candidate.state else { continue }
            sums[candidate.target.name.package, default: (0, 0)].made += byteCount
            sums[candidate.target.name.package, default: (0, 0)].new += candidate.newByteCount
        }
        return sums.compactMapValues { $0.new > 0 ? min(1, Double($0.made) / Double($0.new)) : nil }
    }

    /// By what all devices save for each byte of work; where nobody reports, a base counts as one device.
    private static func isBefore(_ one: Choice, _ other: Choice) -> Bool {
        func worth(_ choice: Choice) -> Double {
            Double(choice.savedByteCount) * Double(choice.candidate.devices ?? 1)
                / Double(max(1, choice.candidate.work))
        }
        func name(_ choice: Choice) -> [String] {
            [choice.candidate.target.manifest.hex, choice.candidate.base.manifest.hex]
        }
        let (first, second) = (worth(one), worth(other))
        return first == second ? name(one).lexicographicallyPrecedes(name(other)) : first > second
    }
}

/// A version at one end of a patch.
package struct PatchEnd: Hashable, Sendable {
    package let name: VersionName
    package let manifest: Digest

    package init(name: VersionName, manifest: Digest) {
        self.name = name
        self.manifest = manifest
    }
}

/// What patches that are made ahead may cost.
package struct PatchBudget: Hashable, Sendable {
    /// Bytes, old and new together, of which patches are made in a second of one core (docs/BENCHMARKS.md, "Making and applying
    /// patches": 1.8 to 3.2 million).
    package static let bytesPerSecond = 2_500_000

    /// Seconds of one core, about.
    package var seconds: Int
    /// What all patches to versions that are offered now may take, those that are there included.
    package var byteCount: Int

    package init(seconds: Int = 600, byteCount: Int = 1_000_000_000) {
        self.seconds = seconds
        self.byteCount = byteCount
    }

    var workByteCount: Int {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: Self.bytesPerSecond)
        return overflow ? .max : product
    }

    /// Seconds of one core for so much work, about.
    package static func seconds(ofWork byteCount: Int) -> Int { (byteCount + bytesPerSecond - 1) / bytesPerSecond }
}
