/// The bytes of a renaming map, as docs/PATCH-FORMAT.md describes them.
///
/// Equal kinds of values are stored together (all runs, all kinds, all names), so that they compress well. The whole
/// is one zstd frame without its magic number, or plain bytes if that is shorter.
enum RenamingMapCoder {
    private static let version: UInt8 = 1
    /// The bytes of a map before compression, at most.
    static let maximumByteCount = 4 << 20

    static func encode(_ map: RenamingMap) throws(PatchError) -> [UInt8] {
        var streams = Streams()
        streams.add(map)
        let body = streams.bytes
        // With the two bytes in front, so that what is not compressed fits its frame too.
        guard body.count + 2 <= maximumByteCount else { throw .invalidMap(reason: "it is too large") }
        let frame = try compress(body)
        return frame.count < body.count ? [version, 1] + frame : [version, 0] + body
    }

    static func decode(_ bytes: [UInt8], names: NamePairs, lostCount: Int) throws(PatchError) -> RenamingMap {
        guard bytes.count >= 2, bytes[0] == version else { throw .invalidMap(reason: "its version is not known") }
        var streams: Streams
        switch bytes[1] {
        case 0: streams = try Streams(bytes[2...])
        case 1: streams = try Streams(decompress(Array(bytes[2...])))
        default: throw .invalidMap(reason: "its compression is not known")
        }
        return try streams.map(names: names, lostCount: lostCount)
    }

    private static let magic = (0..<4).map { UInt8(truncatingIfNeeded: FrameHeader.magic >> UInt32(8 * $0)) }

    private static func compress(_ body: [UInt8]) throws(PatchError) -> [UInt8] {
        var frame = try ManifestPatch.encode(base: [], target: body)
        frame.removeFirst(magic.count)
        return frame
    }

    private static func decompress(_ frame: [UInt8]) throws(PatchError) -> [UInt8] {
        var body: [UInt8] = []
        do {
            let content = FrameContent(
                atMost: maximumByteCount, prefix: UnsafeRawBufferPointer(start: nil, count: 0),
                windowLimit: FrameContent.windowLimit(prefix: 0, content: maximumByteCount))
            var source = ChunkReader(magic + frame)
            try content.read(&source) { body.append(contentsOf: $0) }
            return body
        } catch {
            throw .invalidMap(reason: "\(error)")
        }
    }
}

/// The parts of a map, each in a separate stream.
private struct Streams {
    private enum Kind: UInt8 {
        case kept, moved, shifted, renamed
    }

    private static let count = 13

    // For paths: pairs. For rules: old and new text. For objects: the kind of map, the numbers of entries, runs, kinds of
    // exceptions, ranks, all names; then the same for the stretches inside of objects.
    private var pairs: [UInt8] = []
    private var rules: [UInt8] = []
    private var types: [UInt8] = []
    private var alphabets: [UInt8] = []
    private var counts: [UInt8] = []
    private var runs: [UInt8] = []
    private var kinds: [UInt8] = []
    private var deltas: [UInt8] = []
    private var names: [UInt8] = []
    private var localGaps: [UInt8] = []
    private var localLengths: [UInt8] = []
    private var localRuns: [UInt8] = []
    private var localNames: [UInt8] = []

    init() {}

    // MARK: Writing

    var bytes: [UInt8] {
        var streams = [
            pairs, rules, types, alphabets, counts, runs, kinds, deltas, names, localGaps, localLengths, localRuns,
            localNames,
        ]
        while streams.last?.isEmpty == true { streams.removeLast() }
        var bytes: [UInt8] = []
        for (index, stream) in streams.enumerated() {
            if index < streams.count - 1 { Self.append(stream.count, to: &bytes) }
        }
        return [UInt8(streams.count)] + bytes + streams.joined()
    }

    mutating func add(_ map: RenamingMap) {
        var (gone, added) = (-1, -1)
        for pair in map.pairs.sorted(by: { $0.gone < $1.gone }) {
            Self.append(pair.gone - gone - 1, to: &pairs)
            Self.append(signed: pair.added - added - 1, to: &pairs)
            (gone, added) = pair
        }
        for rule in map.rules {
            for text in [rule.old, rule.new] {
                Self.append(text.count, to: &rules)
                rules += text
            }
        }
        var next = 0
        for index in map.identifiers.keys.sorted() {
            guard let identifiers = map.identifiers[index] else { continue }
            Self.append(index - next, to: &types)
            next = index + 1
            add(identifiers)
        }
    }

    private mutating func add(_ map: IdentifierMap) {
        types.append(map.alphabet?.rawValue ?? 1)
        if let given = map.givenAlphabet { alphabets += given.characters }
        if map.alphabet != nil { Self.append(map.exceptions.count, to: &counts) }
        Self.append(map.listed.count, to: &counts)
        Self.append(map.locals.count, to: &counts)
        for (run, exception) in map.exceptions {
            Self.append(run, to: &runs)
            switch exception {
            case .kept: kinds.append(Kind.kept.rawValue)
            case .moved(let delta):
                kinds.append(Kind.moved.rawValue)
                Self.append(signed: delta, to: &deltas)
            case .shifted(let delta):
                kinds.append(Kind.shifted.rawValue)
                Self.append(signed: delta, to: &deltas)
            case .renamed(let name):
                kinds.append(Kind.renamed.rawValue)
                Self.append(name, to: &names)
            }
        }
        for (run, name) in map.listed {
            Self.append(run, to: &runs)
            Self.append(name, to: &names)
        }
        for local in map.locals {
            Self.append(local.gap, to: &localGaps)
            Self.append(local.length, to: &localLengths)
            Self.append(local.entries.count, to: &counts)
            for entry in local.entries {
                Self.append(entry.run, to: &localRuns)
                Self.append(entry.name, to: &localNames)
            }
        }
    }

    /// A name, ended by the high bit of its last byte: names are ASCII. Only that bit for none.
    private static func append(_ name: NameKey?, to stream: inout [UInt8]) {
        var bytes = name?.bytes ?? [0]
        bytes[bytes.count - 1] |= 0x80
        stream += bytes
    }

    private static func append(_ value: Int, to stream: inout [UInt8]) {
        var value = value
        while value >= 0x80 {
            stream.append(UInt8(value & 0x7F) | 0x80)
            value >>= 7
        }
        stream.append(UInt8(value))
    }

    private static func append(signed value: Int, to stream: inout [UInt8]) {
        append(value >= 0 ? 2 * value : -2 * value - 1, to: &stream)
    }

    // MARK: Reading

    init(_ body: some Collection<UInt8>) throws(PatchError) {
        guard body.count <= RenamingMapCoder.maximumByteCount else { throw .invalidMap(reason: "it is too large") }
        var reader = ByteReader(body)
        guard let count = reader.byte(), count <= Self.count else { throw Self.damaged }
        var lengths: [Int] = []
        for _ in 0..<max(Int(count) - 1, 0) {
            guard let length = reader.variable() else { throw Self.damaged }
            lengths.append(length)
        }
        var streams: [[UInt8]] = []
        for length in lengths {
            guard let stream = reader.take(length) else { throw Self.damaged }
            streams.append(Array(stream))
        }
        guard count > 0 || reader.remaining == 0 else { throw Self.damaged }
        if let rest = reader.take(reader.remaining) { streams.append(Array(rest)) }
        while streams.count < Self.count { streams.append([]) }
        pairs = streams[0]
        rules = streams[1]
        types = streams[2]
        alphabets = streams[3]
        counts = streams[4]
        runs = streams[5]
        kinds = streams[6]
        deltas = streams[7]
        names = streams[8]
        localGaps = streams[9]
        localLengths = streams[10]
        localRuns = streams[11]
        localNames = streams[12]
    }

    func map(names known: NamePairs, lostCount: Int) throws(PatchError) -> RenamingMap {
        var map = RenamingMap()
        map.pairs = try readPairs(known)
        map.rules = try readRules()
        var objects = ObjectStreams(self)
        var types = ByteReader(types)
        var index = 0
        while types.remaining > 0 {
            guard let gap = types.variable(), let type = types.byte(), index + gap < lostCount else {
                throw Self.damaged
            }
            index += gap
            map.identifiers[index] = try objects.readMap(type)
            index += 1
        }
        guard objects.isAtEnd else { throw Self.damaged }
        return map
    }

    private func readPairs(_ known: NamePairs) throws(PatchError) -> [(gone: Int, added: Int)] {
        var reader = ByteReader(pairs)
        var result: [(gone: Int, added: Int)] = []
        var (gone, added) = (-1, -1)
        while reader.remaining > 0 {
            guard let skipped = reader.variable(), let step = reader.variable() else { throw Self.damaged }
            gone += skipped + 1
            added += Self.signed(step) + 1
            guard known.gone.indices.contains(gone), known.added.indices.contains(added) else { throw Self.damaged }
            result.append((gone, added))
        }
        return result
    }

    private func readRules() throws(PatchError) -> [RenamingRule] {
        var reader = ByteReader(rules)
        var result: [RenamingRule] = []
        while reader.remaining > 0 {
            guard let oldCount = reader.variable(), oldCount <= RenamingRule.maximumOldByteCount,
                let old = reader.take(oldCount), !old.isEmpty,
                let newCount = reader.variable(), let new = reader.take(newCount)
            else { throw Self.damaged }
            result.append(RenamingRule(old: Array(old), new: Array(new)))
        }
        return result
    }

    private static func signed(_ value: Int) -> Int { value & 1 == 0 ? value / 2 : -(value + 1) / 2 }

    private static var damaged: PatchError { .invalidMap(reason: "it is damaged") }

    /// Reads the maps of objects, one after the other, from all streams.
    private struct ObjectStreams {
        private var alphabets: ByteReader
        private var counts: ByteReader
        private var runs: ByteReader
        private var kinds: ByteReader
        private var deltas: ByteReader
        private var names: ByteReader
        private var localGaps: ByteReader
        private var localLengths: ByteReader
        private var localRuns: ByteReader
        private var localNames: ByteReader

        init(_ streams: Streams) {
            alphabets = ByteReader(streams.alphabets)
            counts = ByteReader(streams.counts)
            runs = ByteReader(streams.runs)
            kinds = ByteReader(streams.kinds)
            deltas = ByteReader(streams.deltas)
            names = ByteReader(streams.names)
            localGaps = ByteReader(streams.localGaps)
            localLengths = ByteReader(streams.localLengths)
            localRuns = ByteReader(streams.localRuns)
            localNames = ByteReader(streams.localNames)
        }

        var isAtEnd: Bool {
            [
                alphabets, counts, runs, kinds, deltas, names, localGaps, localLengths, localRuns, localNames,
            ].allSatisfy { $0.remaining == 0 }
        }

        mutating func readMap(_ type: UInt8) throws(PatchError) -> IdentifierMap {
            var map = IdentifierMap()
            if type != 1 {
                guard let source = AlphabetSource(rawValue: type) else { throw Streams.damaged }
                map.alphabet = source
                if source == .given {
                    guard let alphabet = alphabets.take(Alphabet.count).flatMap(Alphabet.init) else {
                        throw Streams.damaged
                    }
                    map.givenAlphabet = alphabet
                }
            }
            let exceptionCount = map.alphabet == nil ? 0 : try count(in: runs)
            let listedCount = try count(in: runs)
            let localCount = try count(in: localGaps)
            for _ in 0..<exceptionCount { map.exceptions.append((try Self.number(&runs), try exception())) }
            for _ in 0..<listedCount { map.listed.append((try Self.number(&runs), try requiredName())) }
            for _ in 0..<localCount { map.locals.append(try local()) }
            return map
        }

        private mutating func local() throws(PatchError) -> LocalRenaming {
            let (gap, length) = (try Self.number(&localGaps), try Self.number(&localLengths))
            guard length > 0 else { throw Streams.damaged }
            var entries: [LocalRenaming.Entry] = []
            for _ in 0..<(try count(in: localRuns)) {
                entries.append(LocalRenaming.Entry(run: try Self.number(&localRuns), name: try Self.name(&localNames)))
            }
            return LocalRenaming(gap: gap, length: length, entries: entries)
        }

        private mutating func exception() throws(PatchError) -> IdentifierMap.Exception {
            guard let kind = kinds.byte().flatMap(Kind.init) else { throw Streams.damaged }
            switch kind {
            case .kept: return .kept
            case .moved: return .moved(by: try delta())
            case .shifted: return .shifted(by: try delta())
            case .renamed: return .renamed(try requiredName())
            }
        }

        /// A number of entries: each takes a byte of `stream`, so a larger one is a lie.
        private mutating func count(in stream: ByteReader) throws(PatchError) -> Int {
            let count = try Self.number(&counts)
            guard count <= stream.remaining else { throw Streams.damaged }
            return count
        }

        private mutating func delta() throws(PatchError) -> Int { Streams.signed(try Self.number(&deltas)) }

        private mutating func requiredName() throws(PatchError) -> NameKey {
            guard let name = try Self.name(&names) else { throw Streams.damaged }
            return name
        }

        private static func number(_ stream: inout ByteReader) throws(PatchError) -> Int {
            guard let number = stream.variable() else { throw Streams.damaged }
            return number
        }

        /// Nil for an empty name.
        private static func name(_ stream: inout ByteReader) throws(PatchError) -> NameKey? {
            var bytes: [UInt8] = []
            while let byte = stream.byte() {
                if byte == 0x80, bytes.isEmpty { return nil }
                bytes.append(byte & 0x7F)
                if byte < 0x80 { continue }
                guard let name = NameKey(bytes) else { throw Streams.damaged }
                return name
            }
            throw Streams.damaged
        }
    }
}
