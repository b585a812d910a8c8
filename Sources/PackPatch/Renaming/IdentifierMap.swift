/// The new names of one object's identifiers, described by the exceptions from what the minifier's counting predicts.
///
/// A minifier hands out names in sequence, so when one is inserted, all behind it move on by one. In the order of that
/// sequence most of the map is a run of "the rank plus the shift so far", and only the exceptions are sent.
struct IdentifierMap: Equatable {
    enum Exception: Equatable {
        /// The name does not change.
        case kept
        /// This one name moves by a different number of ranks than its neighbours.
        case moved(by: Int)
        /// From here on, names move by this much more than before.
        case shifted(by: Int)
        case renamed(NameKey)
    }

    /// Nil: all names are in ``listed``.
    var alphabet: AlphabetSource?
    /// Only with ``AlphabetSource/given``.
    var givenAlphabet: Alphabet?
    /// In the order of rank: how many names follow the prediction, then one that does not.
    var exceptions: [(run: Int, exception: Exception)] = []
    /// For names without rank, in the order of the vocabulary: how many stay as they are, then a new name.
    var listed: [(run: Int, name: NameKey)] = []

    /// What differs inside of single functions, in the order of the text.
    var locals: [LocalRenaming] = []

    static func == (left: IdentifierMap, right: IdentifierMap) -> Bool {
        left.alphabet == right.alphabet && left.givenAlphabet == right.givenAlphabet
            && left.exceptions.elementsEqual(right.exceptions) { $0 == $1 }
            && left.listed.elementsEqual(right.listed) { $0 == $1 }
            && left.locals == right.locals
    }

    /// What replaces what in the object with this vocabulary.
    /// - Parameter previous: The alphabet of the object before.
    func resolve(_ vocabulary: Vocabulary, previous: Alphabet) throws(PatchError) -> Resolved {
        guard !vocabulary.isTooLarge else { throw .invalidMap(reason: "it renames in an object with too many words") }
        let alphabet = alphabet.map { vocabulary.alphabet($0) ?? givenAlphabet ?? previous }
        var images = vocabulary.names
        let order = NameOrder(vocabulary, alphabet)

        var shift = 0
        var position = 0
        func follow(_ count: Int) throws(PatchError) {
            guard count <= order.ranked.count - position else {
                throw .invalidMap(reason: "it renames more words than there are")
            }
            for (rank, name) in order.ranked[position..<position + count] {
                images[name] = order.name(rank + shift) ?? images[name]
            }
            position += count
        }
        for (run, exception) in exceptions {
            try follow(run)
            guard position < order.ranked.count else {
                throw .invalidMap(reason: "it renames more words than there are")
            }
            let (rank, name) = order.ranked[position]
            position += 1
            switch exception {
            case .kept: break
            case .moved(let delta): images[name] = order.name(rank + shift + delta) ?? images[name]
            case .shifted(let delta):
                shift += delta
                images[name] = order.name(rank + shift) ?? images[name]
            case .renamed(let new): images[name] = new
            }
        }
        try follow(order.ranked.count - position)

        var listedPosition = 0
        for (run, name) in listed {
            guard run < order.others.count - listedPosition else {
                throw .invalidMap(reason: "it renames more words than there are")
            }
            images[order.others[listedPosition + run]] = name
            listedPosition += run + 1
        }
        return Resolved(images: images, alphabet: alphabet ?? previous)
    }

    struct Resolved {
        /// What each name of the vocabulary becomes.
        let images: [NameKey]
        let alphabet: Alphabet
    }
}

/// A vocabulary in the order in which a map describes it.
struct NameOrder {
    let alphabet: Alphabet?
    /// By rank; names by their places in the vocabulary.
    let ranked: [(rank: Int, name: Int)]
    /// The names without rank: long ones, numbers, and all if there is no alphabet.
    let others: [Int]

    init(_ vocabulary: Vocabulary, _ alphabet: Alphabet?) {
        self.alphabet = alphabet
        guard let alphabet else {
            ranked = []
            others = Array(vocabulary.names.indices)
            return
        }
        var ranked: [(rank: Int, name: Int)] = []
        var others: [Int] = []
        for (place, name) in vocabulary.names.enumerated() {
            if let rank = alphabet.rank(of: name) { ranked.append((rank, place)) } else { others.append(place) }
        }
        ranked.sort { $0.rank < $1.rank }
        self.ranked = ranked
        self.others = others
    }

    /// The name that a rank stands for; nil, which means no renaming, if there is none.
    func name(_ rank: Int) -> NameKey? { alphabet?.name(of: rank) }
}
