import PackFormat

/// One line of a `.packignore`: a pattern in the syntax of gitignore(5).
///
/// A pattern with a slash that is not at its end is anchored at the root; without one it matches names at any depth.
/// `*`, `?` and `[…]` stay within a component, `**` spans components, a slash at the end means folders only.
package struct IgnorePattern: Hashable, Sendable {
    private enum Segment: Hashable {
        /// `**`: any number of components.
        case any
        case glob([UInt8])
    }

    /// The line as written.
    package let text: String
    /// Whether a `!` precedes the pattern: matching files are included again.
    package let isNegated: Bool
    private let onlyFolders: Bool
    private let segments: [Segment]
    /// The glob of a pattern that matches names at any depth, as most do.
    private let name: [UInt8]?

    /// Nil for an empty line or a comment.
    package init?(line: String) {
        var bytes = Array(line.utf8)
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        // Spaces at the end do not count unless one is escaped.
        while bytes.last == UInt8(ascii: " "), bytes.dropLast().last != UInt8(ascii: "\\") { bytes.removeLast() }
        guard let first = bytes.first, first != UInt8(ascii: "#") else { return nil }
        text = String(decoding: bytes, as: UTF8.self)
        isNegated = first == UInt8(ascii: "!")
        if isNegated { bytes.removeFirst() }
        onlyFolders = bytes.last == UInt8(ascii: "/")
        if onlyFolders { bytes.removeLast() }
        guard !bytes.isEmpty else { return nil }
        let isAnchored = bytes.contains(UInt8(ascii: "/"))
        if bytes.first == UInt8(ascii: "/") { bytes.removeFirst() }
        var segments = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { part in
            part.elementsEqual("**".utf8) ? Segment.any : .glob(Array(part))
        }
        if !isAnchored { segments.insert(.any, at: 0) }
        // A pattern that ends in /** means what is inside, so one component at least.
        if segments.count > 1, segments.last == .any { segments.append(.glob(Array("*".utf8))) }
        self.segments = segments
        name = if segments.count == 2, segments[0] == .any, case .glob(let glob) = segments[1] { glob } else { nil }
    }

    /// Whether the pattern names this very file or folder, not one above it.
    func matches(_ path: [ArraySlice<UInt8>], isFolder: Bool) -> Bool {
        if onlyFolders, !isFolder { return false }
        if let name { return path.last.map { Glob.matches($0, name) } ?? false }
        // The classic walk with one point to return to: the last `**`.
        var (part, segment) = (0, 0)
        var restart: (part: Int, segment: Int)?
        while part < path.count {
            if segment < segments.count, segments[segment] == .any {
                restart = (part, segment + 1)
                segment += 1
            } else if segment < segments.count, case .glob(let glob) = segments[segment],
                Glob.matches(path[part], glob)
            {
                part += 1
                segment += 1
            } else if let back = restart {
                part = back.part + 1
                segment = back.segment
                restart = (part, segment)
            } else {
                return false
            }
        }
        return segments[segment...].allSatisfy { $0 == .any }
    }
}

/// Matches `*`, `?`, `[…]` and `\` within one component, byte by byte as git does, in time linear in the product of
/// the lengths.
enum Glob {
    static func matches(_ name: ArraySlice<UInt8>, _ glob: [UInt8]) -> Bool {
        var (position, index) = (name.startIndex, 0)
        var restart: (position: Int, index: Int)?
        while position < name.endIndex {
            if index < glob.count, glob[index] == UInt8(ascii: "*") {
                index += 1
                restart = (position, index)
            } else if index < glob.count, let next = step(name[position], glob, at: index) {
                index = next
                position += 1
            } else if let back = restart {
                position = back.position + 1
                index = back.index
                restart = (position, index)
            } else {
                return false
            }
        }
        return glob[index...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// Matches one byte against the element of the glob at `index`; gives the index of the next element.
    private static func step(_ byte: UInt8, _ glob: [UInt8], at index: Int) -> Int? {
        switch glob[index] {
        case UInt8(ascii: "?"): return index + 1
        case UInt8(ascii: "\\") where index + 1 < glob.count: return glob[index + 1] == byte ? index + 2 : nil
        case UInt8(ascii: "["):
            // An unclosed bracket matches nothing, as in git.
            guard let set = set(glob, at: index) else { return nil }
            let contains = set.ranges.contains { $0.contains(byte) }
            return contains != set.isNegated ? set.end : nil
        default: return glob[index] == byte ? index + 1 : nil
        }
    }

    private static func set(
        _ glob: [UInt8], at start: Int
    ) -> (ranges: [ClosedRange<UInt8>], isNegated: Bool, end: Int)? {
        var index = start + 1
        var ranges: [ClosedRange<UInt8>] = []
        let isNegated = index < glob.count && (glob[index] == UInt8(ascii: "!") || glob[index] == UInt8(ascii: "^"))
        if isNegated { index += 1 }
        let first = index
        while index < glob.count {
            var byte = glob[index]
            if byte == UInt8(ascii: "]"), index > first { return (ranges, isNegated, index + 1) }
            if byte == UInt8(ascii: "\\"), index + 1 < glob.count {
                index += 1
                byte = glob[index]
            }
            if index + 2 < glob.count, glob[index + 1] == UInt8(ascii: "-"), glob[index + 2] != UInt8(ascii: "]") {
                if glob[index + 2] >= byte { ranges.append(byte...glob[index + 2]) }
                index += 3
            } else {
                ranges.append(byte...byte)
                index += 1
            }
        }
        return nil
    }
}
