import PackFormat
import PackJSON

extension ManifestChanges {
    /// Writes changes, or reads them, in one order for both.
    /// - Parameter wanted: What an encoder writes; nil to read.
    /// - Parameter manifestByteCount: The signed length of the manifest that the changes give, which bounds them.
    static func code<Coder: BinaryCoder>(
        _ wanted: ManifestChanges?, base: Manifest, head: ManifestHead, manifestByteCount: Int,
        _ coder: inout SkeletonCoder<Coder>
    ) throws(PatchError) -> ManifestChanges {
        var walk = ChangeWalk(base: base, manifestByteCount: manifestByteCount)
        var result = ManifestChanges()
        result.head = try walk.head(wanted?.head, from: head.bytes, &coder)
        let pinCount: Int
        do {
            pinCount = try ManifestHead(parsing: result.head).pins.count
        } catch {
            throw .corrupt(reason: "\(error)")
        }
        walk.pinCount = pinCount
        result.fates.reserveCapacity(walk.paths.count)
        for index in walk.paths.indices {
            result.fates.append(try walk.fate(wanted?.fates[index], at: index, &coder))
        }
        let count = try coder.number(wanted?.added.count ?? 0, .count)
        for index in 0..<count {
            result.added.append(try walk.added(wanted?.added[index], &coder))
        }
        if try coder.flag(wanted?.unnamed != nil, .path, 1) {
            result.unnamed = try walk.unnamed(wanted?.unnamed, &coder)
        }
        return result
    }
}

/// One walk over the files of both versions.
private struct ChangeWalk {
    let base: Manifest
    let manifestByteCount: Int
    let paths: [PackagePath]
    var pinCount = 0
    private var newCount = 0
    private var byteCount = 0
    /// What became of the last files, two bits for each.
    private var recent: UInt32 = 0

    /// What a file costs in a manifest besides its path, at least.
    private static let leastFileByteCount = 89

    init(base: Manifest, manifestByteCount: Int) {
        self.base = base
        self.manifestByteCount = manifestByteCount
        paths = base.sortedPaths
    }

    /// The head, as what differs from the base's between what both begin and end with.
    mutating func head<Coder: BinaryCoder>(
        _ wanted: [UInt8]?, from base: [UInt8], _ coder: inout SkeletonCoder<Coder>
    ) throws(PatchError) -> [UInt8] {
        let wanted = wanted ?? base
        if try coder.flag(wanted == base, .head) { return base }
        let shorter = min(wanted.count, base.count)
        let start = zip(wanted, base).prefix { $0 == $1 }.count
        let end = zip(wanted.reversed(), base.reversed()).prefix(shorter - start).prefix { $0 == $1 }.count
        let prefix = try coder.index(start, below: base.count + 1)
        let suffix = try coder.index(end, below: base.count - prefix + 1)
        let count = try coder.number(max(0, wanted.count - start - end), .count)
        guard count <= manifestByteCount else { throw .corrupt(reason: "it is longer than is signed") }
        let middle = try coder.bytes(Array(wanted[start..<max(start, wanted.count - end)]), count: count)
        return base[..<prefix] + middle + base[(base.count - suffix)...]
    }

    /// What becomes of a file of the base.
    mutating func fate<Coder: BinaryCoder>(
        _ wanted: ManifestChanges.Fate?, at index: Int, _ coder: inout SkeletonCoder<Coder>
    ) throws(PatchError) -> ManifestChanges.Fate {
        let path = paths[index]
        let name = HashedName(path)
        let kind = Self.mix(path.fileExtension.utf8) &* 2 &+ (name == nil ? 0 : 1)
        let folder = Self.mix(path.text.utf8.dropLast(path.name.utf8.count))
        func flag(_ value: Bool, _ step: UInt32) throws(PatchError) -> Bool {
            try coder.flag(
                value, .fate, step << 8 | recent & 15, kind &* 64 &+ step << 4 &+ recent & 3,
                (folder ^ kind) &* 8 &+ step)
        }
        var kept = true
        var removed = false
        var renamed = false
        var content: ManifestChanges.Content?
        var hash: [UInt8] = []
        switch wanted {
        case nil, .kept: break
        case .changed(let new): (kept, content) = (false, new)
        case .renamed(let new, let of): (kept, renamed, hash, content) = (false, true, new, of)
        case .removed: (kept, removed) = (false, true)
        }
        kept = try flag(kept, 0)
        var state: UInt32 = 0
        defer { recent = recent << 2 | state }
        if kept {
            try count(path)
            return .kept
        }
        removed = try flag(removed, 1)
        state = 1
        if removed { return .removed }
        state = 2
        if let name {
            renamed = try flag(renamed, 2)
            if renamed {
                hash = try self.hash(hash, like: HashAlphabet(of: name.hash), count: name.hash.count, &coder)
            }
        }
        let coded = try self.content(content, of: path, at: index, &coder)
        if name != nil, renamed {
            state = 3
            try count(path)
            return .renamed(hash: hash, coded)
        }
        try count(path)
        return .changed(coded)
    }

    /// A file with a path of its own.
    mutating func added<Coder: BinaryCoder>(
        _ wanted: ManifestChanges.Added?, _ coder: inout SkeletonCoder<Coder>
    ) throws(PatchError) -> ManifestChanges.Added {
        let name = wanted.flatMap { HashedName($0.path) }.flatMap { HashAlphabet(of: $0.hash) == nil ? nil : $0 }
        let line = try coder.line(
            name?.key ?? wanted.map { Array($0.path.text.utf8) } ?? [], limit: PackagePath.maximumLength
        ) { paths.map { HashedName($0)?.key ?? Array($0.text.utf8) } }
        var text = line
        var found = wanted?.found
        if let place = line.firstIndex(of: 0) {
            let count = try coder.number(name?.hash.count ?? 0, .hash)
            guard count <= PackagePath.maximumComponentLength else { throw .corrupt(reason: "a path is too long") }
            let hash: [UInt8]
            if try coder.flag(found != nil, .path) {
                found = try coder.number(found ?? 0, .index)
                hash = ManifestChanges.unknownHash(count)
            } else {
                hash = try self.hash(name?.hash ?? [], like: nil, count: count, &coder)
            }
            text = line[..<place] + hash + line[(place + 1)...]
        }
        let path = try Self.path(text)
        try count(path)
        return ManifestChanges.Added(
            path: path, content: try content(wanted?.content, of: path, at: nil, &coder), found: found)
    }

    /// The files whose names are found in the content.
    mutating func unnamed<Coder: BinaryCoder>(
        _ wanted: ManifestChanges.Unnamed?, _ coder: inout SkeletonCoder<Coder>
    ) throws(PatchError) -> ManifestChanges.Unnamed {
        func line(_ text: [UInt8]) throws(PatchError) -> [UInt8] {
            try coder.line(text, limit: PackagePath.maximumLength) {
                paths.map { HashedName($0)?.key ?? Array($0.text.utf8) }
            }
        }
        let folder = try line(wanted?.folder ?? [])
        var endings: [[UInt8]] = []
        for index in 0..<(try coder.number(wanted?.endings.count ?? 0, .count, 1)) {
            let ending = try line(wanted?.endings[index] ?? [])
            // Each ends the path of a file, whose start is counted below.
            try countBytes(max(ending.count, 1))
            endings.append(ending)
        }
        var excluded: [Int] = []
        for index in 0..<(try coder.number(wanted?.excluded.count ?? 0, .count, 2)) {
            let next = excluded.last.map { $0 + 1 } ?? 0
            let gap = try coder.number((wanted?.excluded[index] ?? 0) - (wanted == nil ? 0 : next), .index, 1)
            guard next + gap < NameFinder.maximumNameCount else { throw .corrupt(reason: "it names what is not there") }
            excluded.append(next + gap)
        }
        var result = ManifestChanges.Unnamed(folder: folder, endings: endings, excluded: excluded)
        for index in 0..<(try coder.number(wanted?.files.count ?? 0, .count, 3)) {
            let file = wanted?.files[index]
            let last = result.files.last?.place ?? 0
            let place = last + (try coder.number((file?.place ?? last) - last, .index, 2))
            // There are fewer files than bytes. Refused at once, because a sum of such numbers leaves the range of an `Int`.
            guard place <= manifestByteCount else { throw .corrupt(reason: "a file is out of place") }
            // Each makes the manifest longer, as a named one does.
            try count(folder.count + 1)
            let path = try result.placeholder(index)
            result.files.append(
                ManifestChanges.UnnamedFile(
                    place: place, content: try content(file?.content, of: path, at: nil, &coder)))
        }
        return result
    }

    static func path(_ bytes: [UInt8]) throws(PatchError) -> PackagePath {
        guard let text = String(validUTF8: bytes[...]) else { throw .corrupt(reason: "a path is no UTF-8") }
        do { return try PackagePath(text) } catch { throw .corrupt(reason: "\(error)") }
    }

    /// Each file makes the manifest longer, whose length is signed.
    private mutating func count(_ path: PackagePath) throws(PatchError) {
        try count(path.text.utf8.count)
    }

    /// - Parameter pathByteCount: The bytes of the file's path, at least.
    private mutating func count(_ pathByteCount: Int) throws(PatchError) {
        try countBytes(pathByteCount + Self.leastFileByteCount)
    }

    private mutating func countBytes(_ count: Int) throws(PatchError) {
        byteCount += count
        guard byteCount <= manifestByteCount else { throw .corrupt(reason: "it is longer than is signed") }
    }

    private mutating func hash<Coder: BinaryCoder>(
        _ wanted: [UInt8], like old: HashAlphabet?, count: Int, _ coder: inout SkeletonCoder<Coder>
    ) throws(PatchError) -> [UInt8] {
        let context = UInt32(old.map { $0.rawValue + 1 } ?? 0)
        let alphabet = HashAlphabet(of: wanted) ?? .base64
        let found: HashAlphabet
        if try coder.flag(alphabet == .base64, .hash, context) {
            found = .base64
        } else {
            found = try coder.flag(alphabet == .base32, .hash, context &+ 8) ? .base32 : .hexadecimal
        }
        let characters = found.characters
        var result: [UInt8] = []
        for index in 0..<count {
            let value = index < wanted.count ? characters.firstIndex(of: wanted[index]) ?? 0 : 0
            result.append(characters[try coder.direct(value, bits: found.bits)])
        }
        return result
    }

    /// - Parameter index: The file of the base that stood in its place.
    private mutating func content<Coder: BinaryCoder>(
        _ wanted: ManifestChanges.Content?, of path: PackagePath, at index: Int?,
        _ coder: inout SkeletonCoder<Coder>
    ) throws(PatchError) -> ManifestChanges.Content {
        let old = index.flatMap { base.files[paths[$0]] }
        let kind = Self.mix(path.fileExtension.utf8)
        var (isShared, isNew, isOld) = (false, false, false)
        switch wanted {
        case .shared: isShared = true
        case .new: isNew = true
        case .old: isOld = true
        case .repeated, nil: break
        }
        if pinCount > 0 {
            isShared = try coder.flag(isShared, .content, 1, old?.from == nil ? 2 : 3)
            if isShared { return try shared(wanted, &coder) }
        }
        let context: UInt32 = index == nil ? 0 : 1
        isNew = try coder.flag(isNew, .content, 4 &+ context, kind &* 2 &+ context)
        if isNew {
            var size = 0
            if case .new(let wanted) = wanted { size = wanted }
            size = try self.size(size, from: old?.size, kind, &coder)
            newCount += 1
            return .new(size: size)
        }
        isOld = try coder.flag(isOld, .content, 6 &+ context)
        if isOld {
            var place = 0
            if case .old(let wanted) = wanted { place = wanted }
            if let index, try coder.flag(place == index, .content, 8) { return .old(index) }
            return .old(try coder.index(place, below: paths.count))
        }
        var place = 0
        if case .repeated(let wanted) = wanted { place = wanted }
        return .repeated(try coder.index(place, below: newCount))
    }

    private func shared<Coder: BinaryCoder>(
        _ wanted: ManifestChanges.Content?, _ coder: inout SkeletonCoder<Coder>
    ) throws(PatchError) -> ManifestChanges.Content {
        var (pin, object): (Int, Object?) = (0, nil)
        if case .shared(let wantedPin, let wantedObject) = wanted { (pin, object) = (wantedPin, wantedObject) }
        return .shared(
            pin: try coder.index(pin, below: pinCount),
            Object(digest: try coder.digest(object?.digest), size: try coder.number(object?.size ?? 0, .size, 1)))
    }

    private func size<Coder: BinaryCoder>(
        _ wanted: Int, from old: Int?, _ kind: UInt32, _ coder: inout SkeletonCoder<Coder>
    ) throws(PatchError) -> Int {
        guard let old else { return try coder.number(wanted, .size) }
        let delta = wanted - old
        if try coder.flag(delta == 0, .delta, 0, kind) { return old }
        let isLess = try coder.flag(delta < 0, .delta, 1, kind)
        let distance = try coder.number(max(0, abs(delta) - 1), .delta) + 1
        let size = isLess ? old - distance : old + distance
        guard size >= 0 else { throw .corrupt(reason: "a size is below zero") }
        return size
    }

    /// A number for a text, the same on all machines (FNV-1a).
    private static func mix(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}
