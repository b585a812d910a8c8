import PackFormat

/// Offers that are settled together: those of one set, or a single one.
struct OfferGroup {
    /// The set's id; nil for a single offer. If sets overlap on this device, one of their ids stands for all.
    let set: String?
    let offers: [Updater.Offer]

    /// Packages whose choice a set made belong together, whichever release each of them chose: a newer release of one
    /// package may rely on the set that the others get with it.
    static func groups(of offers: [Updater.Offer]) -> [OfferGroup] {
        var parents = Array(offers.indices)
        func root(_ index: Int) -> Int {
            var index = index
            while parents[index] != index { index = parents[index] }
            return index
        }
        let places = Dictionary(offers.enumerated().map { ($1.package, $0) }, uniquingKeysWith: { first, _ in first })
        for (index, offer) in offers.enumerated() {
            for companion in offer.companions {
                guard let place = places[companion] else { continue }
                parents[root(place)] = root(index)
            }
        }
        return Dictionary(grouping: offers.indices, by: root).sorted { $0.key < $1.key }.map { _, members in
            let group = members.map { offers[$0] }
            let set = group.compactMap(\.decision.set).min()
            return OfferGroup(set: group.count > 1 ? set : nil, offers: group)
        }
    }

    var jobs: [InstallJob] {
        offers.compactMap { offer in
            guard case .install(let id, let mark) = offer.decision.choice else { return nil }
            let release = PackageState.ReleaseMark(id: mark.id, retry: mark.retry, set: set ?? mark.set)
            return InstallJob(package: offer.package, id: id, release: release, why: offer.decision.summary)
        }
    }

    /// Makes packages of a set wait for each other, each with the reason. If one of them is mandatory, none waits.
    static func waitingTogether(_ offers: [Updater.Offer]) -> [Updater.Offer] {
        var changed: [PackageID: PackageDecision] = [:]
        for group in groups(of: offers) {
            let isMandatory = group.offers.contains(where: \.decision.isMandatory)
            guard let first = group.offers.first(where: { $0.decision.delay != nil }), let delay = first.decision.delay
            else { continue }
            for offer in group.offers {
                var decision = offer.decision
                if isMandatory {
                    decision.doNotWait(because: "a package of its set is mandatory")
                } else if decision.delay == nil {
                    decision.wait(for: "it waits for \(first.package), of the same set: \(delay)")
                }
                changed[offer.package] = decision
            }
        }
        return offers.map { offer in
            guard let decision = changed[offer.package] else { return offer }
            var offer = offer
            offer.decision = decision
            return offer
        }
    }

    var isWaiting: Bool { offers.contains { $0.decision.delay != nil } }

    var waitingEntries: [UpdateReport.Entry] {
        offers.compactMap { offer in
            guard let delay = offer.decision.delay else { return nil }
            let outcome: UpdateReport.Outcome
            switch offer.decision.choice {
            case .install(let id, _): outcome = .waiting(id.version, for: delay)
            default: return nil
            }
            return UpdateReport.Entry(package: offer.package, outcome: outcome, why: offer.decision.summary)
        }
    }

    /// What needs no download and waits for nobody.
    var settled: [Updater.Offer] {
        offers.filter { offer in
            switch offer.decision.choice {
            case .upToDate, .nothing, .disabled: true
            case .embedded: set == nil
            case .install, .undecided: false
            }
        }
    }

    /// What goes back to the embedded version once the rest of the set is in the store.
    var waiting: [Updater.Offer] {
        offers.filter { if case .embedded = $0.decision.choice { set != nil } else { false } }
    }

    /// Whether a package of the set changes besides this one.
    func changesMore(than package: PackageID) -> Bool {
        offers.contains { offer in
            guard offer.package != package else { return false }
            switch offer.decision.choice {
            case .install, .embedded: return true
            default: return false
            }
        }
    }
}
