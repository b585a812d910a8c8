/// Finds the stretches of an object whose names changed differently than in the rest of it. Only the encoder uses it.
///
/// Minifiers name the locals of each function anew, so a change inside one function renames its locals and no others.
/// Braces show where functions are. Braces in strings and patterns only make a map a little longer.
struct LocalScopes {
    /// One occurrence of a name, as the device counts them.
    private struct Occurrence {
        let name: UInt64
        /// What stands there in the target; 0 if that is not known.
        let image: UInt64
        /// What the object's map makes of it.
        let predicted: UInt64
    }

    private struct Stretch {
        let range: Range<Int>
        let gain: Double
    }

    private struct Frame {
        let isBrace: Bool
        /// Where the statement began that opened the brace.
        let start: Int
        /// Where the present statement or argument began.
        var itemStart: Int
        /// The best stretches so far.
        var stretches: [Stretch] = []
    }

    /// A name in the wrong place costs a match and a literal.
    static let gainPerName = 2.2
    private static let costPerStretch = 2.6
    private static let maximumLength = 1 << 15

    private var occurrences: [Occurrence] = []
    /// How many wrong ones there are before each occurrence.
    private var wrong: [Int32] = [0]
    private var frames = [Frame(isBrace: true, start: 0, itemStart: 0)]

    /// - Parameter text: The object after the rules, as the device sees it.
    /// - Parameter names: The object's map.
    init(_ text: UnsafeRawBufferPointer, _ images: [NameImages.Place], names: [NameKey: NameKey]) {
        var places = images[...]
        Tokenizer.forEachToken(in: text) { start, end, isWord, isProperty in
            guard isWord else { return addPunctuation(text[start]) }
            guard !isProperty, let key = Tokenizer.candidate(text, start, end), !Tokenizer.isKeyword(key) else {
                return
            }
            while let place = places.first, place.position < start { places.removeFirst() }
            let image = places.first.flatMap { $0.position == start ? $0.image : nil } ?? 0
            let predicted = (names[key] ?? key).value
            occurrences.append(Occurrence(name: key.value, image: image, predicted: predicted))
            let isWrong = image != 0 && image != predicted
            wrong.append((wrong.last ?? 0) + (isWrong ? 1 : 0))
        }
    }

    /// The stretches that pay, and about how many bytes they save.
    consuming func locals() -> (locals: [LocalRenaming], gain: Double) {
        while frames.count > 1 { closeParenthesis() }
        let stretches = frames[0].stretches
        var locals: [LocalRenaming] = []
        var last: [UInt64: UInt64] = [:]
        var end = 0
        for stretch in stretches {
            let changes = changes(in: stretch.range)
            var seen: Set<UInt64> = []
            var entries: [LocalRenaming.Entry] = []
            var run = 0
            for occurrence in occurrences[stretch.range] where seen.insert(occurrence.name).inserted {
                guard let new = changes[occurrence.name] else {
                    run += 1
                    continue
                }
                let isRepeated = last.updateValue(new, forKey: occurrence.name) == new
                entries.append(LocalRenaming.Entry(run: run, name: isRepeated ? nil : NameKey(value: new)))
                run = 0
            }
            let gap = stretch.range.lowerBound - end
            locals.append(LocalRenaming(gap: gap, length: stretch.range.count, entries: entries))
            end = stretch.range.upperBound
        }
        return (locals, stretches.reduce(0) { $0 + $1.gain })
    }

    // MARK: Walking

    private mutating func addPunctuation(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"):
            frames.append(
                Frame(isBrace: true, start: frames[frames.count - 1].itemStart, itemStart: occurrences.count))
        case UInt8(ascii: "("), UInt8(ascii: "["):
            frames.append(Frame(isBrace: false, start: occurrences.count, itemStart: occurrences.count))
        case UInt8(ascii: ")"), UInt8(ascii: "]"):
            if frames.count > 1, !frames[frames.count - 1].isBrace { closeParenthesis() }
        case UInt8(ascii: "}"):
            closeBrace()
        case UInt8(ascii: ","):
            frames[frames.count - 1].itemStart = occurrences.count
        case UInt8(ascii: ";"):
            if frames[frames.count - 1].isBrace { frames[frames.count - 1].itemStart = occurrences.count }
        default: break
        }
    }

    private mutating func closeParenthesis() {
        let frame = frames.removeLast()
        frames[frames.count - 1].stretches += frame.stretches
    }

    private mutating func closeBrace() {
        // Without its opening brace (in a string, say) it closes nothing.
        guard frames.dropFirst().contains(where: \.isBrace) else { return }
        while !frames[frames.count - 1].isBrace { closeParenthesis() }
        let frame = frames.removeLast()
        var inner = frame.stretches
        // What the statement's head has found belongs to the whole.
        while let head = frames[frames.count - 1].stretches.last, head.range.lowerBound >= frame.start {
            inner.insert(head, at: 0)
            frames[frames.count - 1].stretches.removeLast()
        }
        let range = frame.start..<occurrences.count
        let innerGain = inner.reduce(0) { $0 + $1.gain }
        let gain = gain(of: range, atLeast: innerGain)
        if gain > innerGain { inner = [Stretch(range: range, gain: gain)] }
        frames[frames.count - 1].stretches += inner
        if frames[frames.count - 1].isBrace { frames[frames.count - 1].itemStart = occurrences.count }
    }

    // MARK: Weighing

    private func gain(of range: Range<Int>, atLeast least: Double) -> Double {
        guard range.count <= Self.maximumLength, !range.isEmpty else { return 0 }
        let possible = Self.gainPerName * Double(wrong[range.upperBound] - wrong[range.lowerBound])
        guard possible - Self.costPerStretch > least else { return 0 }
        var gain = -Self.costPerStretch
        forEachChange(in: range) { _, _, change in gain += change }
        return gain
    }

    private func changes(in range: Range<Int>) -> [UInt64: UInt64] {
        var changes: [UInt64: UInt64] = [:]
        forEachChange(in: range) { name, image, _ in changes[name] = image }
        return changes
    }

    /// Gives each name that is better renamed in this stretch, with what it becomes and the bytes that saves.
    private func forEachChange(in range: Range<Int>, _ body: (UInt64, UInt64, Double) -> Void) {
        let known = occurrences[range].filter { $0.image != 0 }.sorted {
            $0.name == $1.name ? $0.image < $1.image : $0.name < $1.name
        }
        var start = 0
        while start < known.count {
            let name = known[start].name
            let predicted = known[start].predicted
            var best = (image: UInt64(0), count: 0)
            var right = 0
            var position = start
            while position < known.count, known[position].name == name {
                let first = position
                let image = known[first].image
                while position < known.count, known[position].name == name, known[position].image == image {
                    position += 1
                }
                if position - first > best.count { best = (image, position - first) }
                if image == predicted { right = position - first }
            }
            start = position
            guard best.image != predicted else { continue }
            let cost = 1.1 + 0.7 * Double(NameKey(value: best.image).count)
            let gain = Self.gainPerName * Double(best.count - right) - cost
            if gain > 0 { body(name, best.image, gain) }
        }
    }
}

/// The names in the target at the places of the base's names.
struct NameImages {
    /// One name of an object.
    struct Place {
        /// Byte of the object after the rules.
        let position: Int
        let image: UInt64
    }

    /// For each token of the base, or 0.
    private var images: [UInt64]

    init(_ alignment: RenamingAlignment, _ base: TokenText, _ target: TokenText, _ words: WordList) {
        images = [UInt64](repeating: 0, count: base.words.count)
        for (position, from) in alignment.source.enumerated() where from >= 0 {
            let new = target.words[position]
            guard new > 0, base.words[Int(from)] > 0, images[Int(from)] == 0 else { continue }
            if case .name(let name) = words[new] { images[Int(from)] = name.value }
        }
    }

    /// The places of the object whose first token is `firstToken`.
    func places(in text: UnsafeRawBufferPointer, firstToken: Int, _ rules: RuleTable) -> [Place] {
        var places: [Place] = []
        var matches: ArraySlice<RuleMatch> = []
        rules.forEachMatch(in: text) { matches.append($0) }
        var skippedUntil = 0
        var moved = 0
        var token = firstToken
        Tokenizer.forEachToken(in: text) { start, _, _, _ in
            if let match = matches.first, match.start == start {
                matches.removeFirst()
                skippedUntil = match.end
                moved += rules[match].new.count - (match.end - match.start)
            }
            if start >= skippedUntil, images[token] != 0 {
                places.append(Place(position: start + moved, image: images[token]))
            }
            token += 1
        }
        return places
    }
}
