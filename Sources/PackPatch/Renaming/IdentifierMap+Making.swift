extension IdentifierMap {
    /// The shortest map that gives the wanted names.
    ///
    /// - Parameter wanted: What a name shall become, itself included; a name that is missing may become anything.
    /// - Parameter previous: The alphabet of the object before.
    /// - Returns: The map and about how many bytes it takes; nil if nothing is to be renamed.
    static func shortest(
        for wanted: [NameKey: NameKey], _ vocabulary: Vocabulary, previous: Alphabet
    ) -> (map: IdentifierMap, cost: Double)? {
        guard !vocabulary.isTooLarge, wanted.contains(where: { $0.key != $0.value }) else { return nil }
        var best = IdentifierMap(alphabet: nil, given: nil, wanted, vocabulary, previous)
        var bestCost = best.cost
        for source in AlphabetSource.allCases where source != .given {
            let map = IdentifierMap(alphabet: source, given: nil, wanted, vocabulary, previous)
            if map.cost < bestCost { (best, bestCost) = (map, map.cost) }
        }
        return (best, bestCost)
    }

    private init(
        alphabet source: AlphabetSource?, given: Alphabet?, _ wanted: [NameKey: NameKey], _ vocabulary: Vocabulary,
        _ previous: Alphabet
    ) {
        alphabet = source
        givenAlphabet = source == .given ? given : nil
        let order = NameOrder(vocabulary, source.map { vocabulary.alphabet($0) ?? given ?? previous })
        addExceptions(wanted, order, vocabulary.names)
        var run = 0
        for name in order.others.map({ vocabulary.names[$0] }) {
            if let new = wanted[name], new != name {
                listed.append((run, new))
                run = 0
            } else {
                run += 1
            }
        }
    }

    private mutating func addExceptions(
        _ wanted: [NameKey: NameKey], _ order: NameOrder, _ names: [NameKey]
    ) {
        // The names of which it is known what they shall become, by rank.
        let known = order.ranked.indices.filter { wanted[names[order.ranked[$0].name]] != nil }
        var nextKnown = 0
        var shift = 0
        var run = 0

        /// How many of the next known names a shift would give right.
        func agreement(_ shift: Int) -> Int {
            known[nextKnown..<min(nextKnown + 6, known.count)].count { position in
                let (rank, place) = order.ranked[position]
                let name = names[place]
                return (order.name(rank + shift) ?? name) == wanted[name]
            }
        }

        for (rank, place) in order.ranked {
            let name = names[place]
            guard let new = wanted[name] else {
                run += 1
                continue
            }
            nextKnown += 1
            if new == (order.name(rank + shift) ?? name) {
                run += 1
                continue
            }
            let stays = agreement(shift)
            if let newRank = order.alphabet?.rank(of: new) {
                let delta = newRank - rank - shift
                if agreement(shift + delta) > stays {
                    exceptions.append((run, .shifted(by: delta)))
                    shift += delta
                } else if new == name {
                    exceptions.append((run, .kept))
                } else if abs(delta) <= 64 {
                    exceptions.append((run, .moved(by: delta)))
                } else {
                    exceptions.append((run, .renamed(new)))
                }
            } else {
                exceptions.append((run, .renamed(new)))
            }
            run = 0
        }
    }

    /// About how many bytes the map takes when it is compressed together with others.
    private var cost: Double {
        var cost = alphabet == .given ? 52.0 : 1.0
        for (run, exception) in exceptions {
            cost += run < 128 ? 0.8 : 1.8
            switch exception {
            case .kept: cost += 0.3
            case .moved(let delta), .shifted(let delta): cost += abs(delta) < 64 ? 1.1 : 2.1
            case .renamed(let name): cost += 0.3 + 0.8 * Double(name.count)
            }
        }
        for (run, name) in listed { cost += (run < 128 ? 0.8 : 1.8) + 0.8 * Double(name.count) }
        return cost
    }
}
