import PackFormat

/// Finds the renaming map between two versions. Only the encoder uses it.
struct RenamingPlanner {
    private let plan: PatchPlan
    private let names: NamePairs
    private let base: SideText
    private let target: SideText

    init(_ plan: PatchPlan, _ names: NamePairs, lost: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer) {
        self.plan = plan
        self.names = names
        base = SideText(lost, plan.lost, isBase: true)
        target = SideText(new, plan.new, isBase: false)
    }

    /// Nil if nothing is worth renaming.
    func map() throws(PatchError) -> RenamingMap? {
        var words = WordList(base, target)
        let old = TokenText(base, words: &words, separator: 4)
        let new = TokenText(target, words: &words, separator: 5)
        let alignment = RenamingAlignment(old, new)
        guard let votes = RenamingVotes(alignment, old, new, words) else { return nil }

        var map = RenamingMap()
        map.pairs = pairs(votes)
        map.rules = rules(votes, words, known: names.rules(with: map.pairs))
        let rules = RuleTable(names.rules(with: map.pairs) + map.rules)
        let images = NameImages(alignment, old, new, words)
        var previous = Alphabet.standard
        for (index, range) in base.objects.enumerated() {
            guard let text = base.text(range), votes.hasChanges(in: index) else { continue }
            let wanted = wanted(votes.names[index], words)
            let places = images.places(in: text, firstToken: old.bounds[index], rules)
            guard let found = try identifiers(text, rules, wanted, places, previous) else { continue }
            map.identifiers[index] = found.map
            previous = found.alphabet
        }
        let isEmpty = rules.isEmpty && map.identifiers.isEmpty
        return isEmpty ? nil : map
    }

    /// The map of one object, if it saves more than it costs.
    private func identifiers(
        _ text: UnsafeRawBufferPointer, _ rules: RuleTable, _ wanted: (names: [NameKey: NameKey], gain: Double),
        _ places: [NameImages.Place], _ previous: Alphabet
    ) throws(PatchError) -> (map: IdentifierMap, alphabet: Alphabet)? {
        var renamed: [UInt8] = []
        renamed.reserveCapacity(text.count)
        rules.apply(to: text) { renamed.append(contentsOf: $0) }
        let vocabulary = renamed.withUnsafeBytes { Vocabulary($0) }
        guard !vocabulary.isTooLarge else { return nil }

        var map = IdentifierMap()
        var gain = 0.0
        if let shortest = IdentifierMap.shortest(for: wanted.names, vocabulary, previous: previous),
            shortest.cost < wanted.gain
        {
            map = shortest.map
            gain = wanted.gain - shortest.cost
        }
        let resolved = try map.resolve(vocabulary, previous: previous)
        let images = Dictionary(uniqueKeysWithValues: zip(vocabulary.names, resolved.images))
        let scopes = renamed.withUnsafeBytes { LocalScopes($0, places, names: images).locals() }
        map.locals = scopes.locals
        gain += scopes.gain
        return gain > 4 ? (map, resolved.alphabet) : nil
    }

    /// What the names of one object shall become, and about how many bytes that saves.
    private func wanted(_ images: [UInt32: RenamingVotes.Image], _ words: WordList) -> (
        names: [NameKey: NameKey], gain: Double
    ) {
        var result: [NameKey: NameKey] = [:]
        var fixed = 0
        for (old, image) in images where image.count * 2 >= image.total {
            guard case .name(let name) = words[old], case .name(let new) = words[image.word] else { continue }
            if name != new { fixed += image.count - image.kept }
            if image.count > 1 || name == new { result[name] = new }
        }
        // A name in the wrong place costs a match and a literal.
        return (result, LocalScopes.gainPerName * Double(fixed))
    }

    /// The paths that the names do not pair, but their contents do.
    private func pairs(_ votes: RenamingVotes) -> [(gone: Int, added: Int)] {
        let lost = Dictionary(uniqueKeysWithValues: plan.lost.enumerated().map { ($1.digest, $0) })
        let evident = Set(names.evident.map(\.gone))
        var addedByObject: [Digest: [Int]] = [:]
        for (index, entry) in names.added.enumerated() { addedByObject[entry.object.digest, default: []].append(index) }
        var taken = Set(names.evident.map(\.added))
        var candidates: [(count: Int, gone: Int, added: Int)] = []
        for (index, entry) in names.gone.enumerated() where !evident.contains(index) {
            guard let object = lost[entry.object.digest], let home = votes.homes[object] else { continue }
            for added in addedByObject[plan.new[home.object].digest] ?? []
            where names.added[added].name.key == entry.name.key {
                candidates.append((home.count, index, added))
            }
        }
        var result: [(gone: Int, added: Int)] = []
        var used: Set<Int> = []
        for candidate in candidates.sorted(by: { ($0.count, $1.gone) > ($1.count, $0.gone) })
        where !used.contains(candidate.gone) && taken.insert(candidate.added).inserted {
            used.insert(candidate.gone)
            result.append((candidate.gone, candidate.added))
        }
        return result.sorted { $0.gone < $1.gone }
    }

    /// The long words that became others everywhere.
    private func rules(_ votes: RenamingVotes, _ words: WordList, known: [RenamingRule]) -> [RenamingRule] {
        let known = Set(known.map(\.old))
        var rules: [(start: Int, rule: RenamingRule)] = []
        for (old, image) in votes.foreign {
            guard case .foreign(let range) = words[old], range.count <= RenamingRule.maximumOldByteCount,
                case .foreign(let newRange) = words[image.word]
            else { continue }
            let rule = RenamingRule(old: Array(base.bytes[range]), new: Array(target.bytes[newRange]))
            let pays =
                image.count >= 2 && 5 * image.count >= 3 * image.total
                && Double(image.count) * 4 >= 0.8 * Double(rule.old.count + rule.new.count)
            if pays, !known.contains(rule.old) { rules.append((range.lowerBound, rule)) }
        }
        return rules.sorted { $0.start < $1.start }.map(\.rule)
    }
}
