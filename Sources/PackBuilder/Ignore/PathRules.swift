package import PackFormat

/// Patterns in order. The last matching one decides.
package struct PathRules: Sendable {
    /// Files that no site needs on a device. Each can be included again with `!`.
    package static let defaults = PathRules(
        text: """
            .*
            !.well-known/
            *.map
            node_modules/
            __MACOSX/
            Thumbs.db
            desktop.ini
            *~
            npm-debug.log*
            /packtool.json
            /packtool.schema.json
            """)

    private var patterns: [IgnorePattern]

    package init(_ patterns: [IgnorePattern] = []) {
        self.patterns = patterns
    }

    package var isEmpty: Bool { patterns.isEmpty }

    /// Parses the lines of a `.packignore`.
    package init(text: String) {
        patterns = text.split(separator: "\n", omittingEmptySubsequences: true).compactMap {
            IgnorePattern(line: String($0))
        }
    }

    package mutating func append(_ other: PathRules) {
        patterns += other.patterns
    }

    /// The pattern that decides over a file or folder, given by its components; nil if none matches.
    func decision(_ parts: [ArraySlice<UInt8>], isFolder: Bool) -> IgnorePattern? {
        patterns.last { $0.matches(parts, isFolder: isFolder) }
    }

    /// The components of a path.
    static func parts(_ path: String) -> [ArraySlice<UInt8>] {
        Array(path.utf8).split(separator: UInt8(ascii: "/"))
    }

    /// Whether a file is selected, by its own name or because a folder above it is.
    package func selects(_ path: PackagePath) -> Bool {
        let parts = Self.parts(path.text)
        var isSelected = false
        for count in 1...max(1, parts.count) {
            let isFolder = count < parts.count
            if let pattern = patterns.last(where: { $0.matches(Array(parts.prefix(count)), isFolder: isFolder) }) {
                isSelected = !pattern.isNegated
            }
        }
        return isSelected
    }
}
