import Foundation
import PackFormat
import TestSupport

/// The days around a release: each device of the sample looks for updates when its app is opened, and decides by the channel file
/// that is published then.
struct ReleaseDay {
    private let plan: FleetPlan
    private let package: PackageID
    private let offers: [ChannelOffers]
    private var traffic: [String: Traffic]
    /// Devices that were open in an hour or before, and those of them that run the last version.
    private var reached: [(active: Double, current: Double)]

    init(_ plan: FleetPlan) throws {
        self.plan = plan
        let package = try PackageID("checkout")
        self.package = package
        offers = try plan.publications.map { publication in
            let releases = try publication.offers.map { offer in
                try Release(
                    id: offer.release,
                    offer: .version(SemanticVersion(offer.version), manifest: Digest(of: Array(offer.version.utf8))),
                    rollout: Rollout(share: Share(percent: offer.share)))
            }
            let file = ChannelFile(
                app: "shop", channel: try ChannelName("stable"),
                packages: [package: ChannelFile.Package(releases: releases)])
            return ChannelOffers(try ChannelFile(parsing: file.bytes))
        }
        traffic = plan.ways.mapValues { _ in Traffic(edges: plan.edgeCount, minutes: plan.minutes) }
        reached = Array(repeating: (0, 0), count: plan.minutes / 60)
        guard plan.publications.first?.minute == 0 else { throw Fault("the first publication is at minute 0") }
    }

    mutating func run() throws {
        var dice = SeededGenerator(seed: plan.seed)
        let last = plan.publications.last?.offers.first?.version
        for _ in 0..<plan.sample {
            var device = SampledDevice(plan, &dice)
            var next = 0
            for second in device.opens {
                let hour = Int(second / 3600)
                while next < hour {
                    note(device, in: next, last, hasOpened: second != device.opens.first)
                    next += 1
                }
                try open(&device, at: second)
            }
            while next < reached.count {
                note(device, in: next, last, hasOpened: !device.opens.isEmpty)
                next += 1
            }
        }
    }

    private mutating func note(_ device: SampledDevice, in hour: Int, _ last: String?, hasOpened: Bool) {
        guard hasOpened else { return }
        reached[hour].active += plan.weight
        if device.version == last { reached[hour].current += plan.weight }
    }

    private mutating func open(_ device: inout SampledDevice, at second: Double) throws {
        let minute = Int(second / 60)
        let publication = plan.publications.lastIndex { $0.minute <= minute } ?? 0
        let check = device.check(
            offers[publication], package, publication: publication, renewal: minute / plan.renewalMinutes,
            incident: plan.incident?.version)
        let requests =
            switch check.news {
            case .first: plan.first
            case .none: plan.idle
            case .renewed: plan.renewed
            case .changed: plan.changed
            }
        for (way, changes) in plan.ways {
            var all = requests
            if let (from, to) = check.download {
                let change = "\(from)>\(to)"
                guard let found = changes[change] else { throw Fault("the plan does not say what \(change) costs") }
                all += found
            }
            if check.isReporting { all += plan.report }
            for request in all {
                let name = request.isOfPublication == true ? "\(publication)" : request.name ?? ""
                traffic[way]?.add(request, name, edge: device.edge, second: second, weight: plan.weight)
            }
        }
    }

    func printResults() {
        for (way, traffic) in traffic.sorted(by: { $0.key < $1.key }) {
            for path in traffic.paths {
                print("path", way, path.path, path.requests, path.up, path.down, path.peak, separator: "\t")
            }
            print("peak", way, traffic.peak, traffic.peakBytes, separator: "\t")
            for seconds in plan.pointerSeconds {
                let origin = traffic.origin(pointerSeconds: seconds)
                print("origin", way, seconds, origin.requests, origin.bytes, origin.peak, separator: "\t")
                guard let counted = traffic.countedPointerMisses(seconds: seconds) else { continue }
                print("misses", way, seconds, counted, traffic.pointerMisses(seconds: seconds), separator: "\t")
            }
        }
        for (hour, part) in reached.enumerated() {
            print("reached", hour, part.active, part.current, separator: "\t")
        }
    }
}
