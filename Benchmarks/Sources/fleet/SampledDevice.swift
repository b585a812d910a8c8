import Foundation
import PackFormat
import TestSupport

/// One device of the sample: when its app is opened, what it runs, and what it has seen of the registry.
struct SampledDevice {
    let facts: DeviceFacts
    let edge: Int
    /// In seconds from the start, in order.
    let opens: [Double]
    let failsToStart: Bool
    private(set) var version: String
    /// What it ran before: it is kept, to go back.
    private var previous: String?
    private var refused: Set<String> = []
    private var seen: (publication: Int, renewal: Int)?

    /// The result of a check.
    struct Check {
        enum News { case first, none, renewed, changed }

        let news: News
        /// The version that is downloaded, and the one that it comes from.
        var download: (from: String, to: String)?
        var isReporting = false
    }

    init(_ plan: FleetPlan, _ dice: inout SeededGenerator) {
        // No release has an audience here: which device it is decides.
        facts = DeviceFacts(deviceID: "device-\(UInt64.random(in: .min ... .max, using: &dice))", appVersion: nil)
        let place = Self.index(among: plan.regions.map(\.part), &dice)
        let region = plan.regions[place]
        edge = plan.regions[..<place].reduce(0) { $0 + $1.edges } + Int.random(in: 0..<region.edges, using: &dice)
        version = plan.bases[Self.index(among: plan.bases.map(\.part), &dice)].version
        // A device that runs the offered version has already seen its publication.
        if version == plan.publications.first?.offers.first?.version { seen = (0, 0) }
        failsToStart = Double.random(in: 0..<1, using: &dice) < plan.incident?.part ?? 0
        opens = Self.opens(plan, region, &dice)
    }

    /// One of several, each as likely as its part says; the last where rounding leaves something.
    private static func index(among parts: [Double], _ dice: inout SeededGenerator) -> Int {
        var roll = Double.random(in: 0..<1, using: &dice)
        for (index, part) in parts.enumerated() {
            if roll < part { return index }
            roll -= part
        }
        return parts.count - 1
    }

    /// Poisson in each hour.
    private static func opens(
        _ plan: FleetPlan, _ region: FleetPlan.Region, _ dice: inout SeededGenerator
    ) -> [Double] {
        let all = plan.hours.reduce(0, +)
        var result: [Double] = []
        for hour in 0..<(plan.minutes / 60) {
            let rate = plan.opensPerDay * plan.hours[(hour + region.hours + 48) % 24] / all
            var left = exp(-rate)
            var roll = Double.random(in: 0..<1, using: &dice)
            var count = 0
            while roll >= left, count < 50 {
                roll -= left
                count += 1
                left *= rate / Double(count)
            }
            for _ in 0..<count { result.append((Double(hour) + Double.random(in: 0..<1, using: &dice)) * 3600) }
        }
        return result.sorted()
    }

    /// The app is opened and looks for updates.
    mutating func check(
        _ offers: ChannelOffers, _ package: PackageID, publication: Int, renewal: Int, incident: String?
    ) -> Check {
        var check = Check(news: version.isEmpty ? .first : .changed)
        if let seen {
            check = Check(
                news: seen.publication != publication ? .changed : seen.renewal != renewal ? .renewed : .none)
        }
        seen = (publication, renewal)
        // It did not start with what it took at its last check, and went back by itself.
        if failsToStart, version == incident, let before = previous {
            refused.insert(version)
            (version, previous) = (before, nil)
            check.isReporting = true
        }
        guard let offered = offers.decision(for: facts, package).release?.version?.description, offered != version,
            !refused.contains(offered)
        else { return check }
        if offered != previous { check.download = (version, offered) }
        (previous, version) = (version, offered)
        check.isReporting = true
        return check
    }
}
