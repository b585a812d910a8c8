package import PackFormat

@testable import PackPatch

/// Skeletons of an attacker without a key, with values that no encoder writes.
package struct HostileSkeleton {
    private let base: Manifest
    private let head: ManifestHead

    package init(base: Manifest) throws {
        self.base = base
        head = try ManifestHead(parsing: base.bytes)
    }

    /// The most bytes that a device decodes for a version after the base.
    package var largestByteCount: Int { base.ownObjects.reduce(8 << 20) { $0 + $1.size } }

    /// The base's files, the first of them with new contents of these sizes in bytes.
    package func changing(_ sizes: [Int]) -> [UInt8] {
        var changes = kept
        for (index, size) in sizes.enumerated() { changes.fates[index] = .changed(.new(size: size)) }
        return skeleton(of: decisions(for: changes))
    }

    /// So many empty files.
    package func adding(_ count: Int) throws -> [UInt8] {
        var changes = kept
        changes.added = try (0..<count).map { .init(path: try PackagePath("new\($0).js"), content: .new(size: 0)) }
        return skeleton(of: decisions(for: changes))
    }

    /// One file in place of all, whose name stands in the content, in a folder that is no path of a package.
    package func findingName(in folder: String) -> [UInt8] {
        var changes = kept
        changes.fates = changes.fates.map { _ in .removed }
        changes.unnamed = .init(
            folder: Array(folder.utf8), endings: [Array(".js".utf8)], excluded: [],
            files: [.init(place: 0, content: .new(size: 3))])
        return skeleton(of: decisions(for: changes))
    }

    /// A file `../other/x.js`: the second dot is a letter until the coder bends it, because a ``PackagePath`` cannot be that.
    package func addingFileOfOtherPackage() throws -> [UInt8] {
        func changes(_ path: String) throws -> ManifestChanges {
            var changes = kept
            changes.added = [.init(path: try PackagePath(path), content: .new(size: 3))]
            return changes
        }
        // "n" and "." differ in one bit: the first that differs between these.
        let (letter, dot) = try (decisions(for: changes(".nother/x.js")), decisions(for: changes("..other/x.js")))
        var bent = try decisions(for: changes(".n/other/x.js"))
        bent[zip(letter, dot).prefix { $0 == $1 }.count].toggle()
        return skeleton(of: bent)
    }

    /// A skeleton with some decisions taken otherwise: unlike one with other bytes, it is not refused for its end.
    package func bent(_ sound: [UInt8], _ random: inout some RandomNumberGenerator) throws -> [UInt8] {
        var reader = SkeletonCoder(Recorder(coder: BinaryDecoder(sound[...])))
        _ = try ManifestChanges.code(nil, base: base, head: head, manifestByteCount: 1 << 20, &reader)
        var decisions = reader.coder.decisions
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            decisions[Int.random(in: decisions.indices, using: &random)].toggle()
        }
        return skeleton(of: decisions)
    }

    private var kept: ManifestChanges { ManifestChanges(from: base, to: base, head: head.bytes, pins: head.pins) }

    private func decisions(for changes: ManifestChanges) -> [Bool] {
        var coder = SkeletonCoder(Recorder(coder: BinaryTraining()))
        do throws(PatchError) {
            _ = try ManifestChanges.code(changes, base: base, head: head, manifestByteCount: 1 << 20, &coder)
        } catch {
            // An encoder refuses here what a device refuses.
        }
        return coder.coder.decisions
    }

    /// What a device reads as these decisions, up to where it refuses them.
    private func skeleton(of decisions: [Bool]) -> [UInt8] {
        var coder = SkeletonCoder(Script(decisions: decisions))
        do throws(PatchError) {
            _ = try ManifestChanges.code(nil, base: base, head: head, manifestByteCount: 1 << 20, &coder)
        } catch {
            // The device refuses it as well, and says why.
        }
        return coder.coder.encoder.end()
    }

    /// Notes what is decided.
    private struct Recorder<Coder: BinaryCoder>: BinaryCoder {
        var coder: Coder
        private(set) var decisions: [Bool] = []

        init(coder: Coder) { self.coder = coder }

        mutating func code(_ bit: Bool, probability: UInt32) throws(PatchError) -> Bool {
            let bit = try coder.code(bit, probability: probability)
            decisions.append(bit)
            return bit
        }
    }

    /// Writes given decisions, and then ever the same one.
    private struct Script: BinaryCoder {
        let decisions: [Bool]
        private var place = 0
        private(set) var encoder = BinaryEncoder()

        init(decisions: [Bool]) { self.decisions = decisions }

        mutating func code(_: Bool, probability: UInt32) throws(PatchError) -> Bool {
            defer { place += 1 }
            return try encoder.code(place < decisions.count && decisions[place], probability: probability)
        }
    }
}
