/// What a publisher says about a version, for people. Text and commit decide nothing and are not signed; the provenance is.
package struct VersionNote: Hashable, Sendable {
    /// Of each field, in bytes.
    package static let maximumLength = 500

    /// One line.
    package let text: String?
    /// The commit of the sources, as the version control names it.
    package let commit: String?
    /// How it was built: a signed envelope (``BuildProvenance``).
    package var provenance: [UInt8]?

    /// - Throws: ``RegistryError`` of the kind `.invalid` for a field that is empty, too long or not one line.
    package init(text: String?, commit: String?) throws(RegistryError) {
        for (name, value) in [("note", text), ("commit", commit)] {
            guard let value else { continue }
            guard (1...Self.maximumLength).contains(value.utf8.count),
                value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
            else {
                throw RegistryError(.invalid, "the \(name) of a version is 1 to \(Self.maximumLength) bytes, one line")
            }
        }
        self.text = text
        self.commit = commit
    }

    private init() {
        text = nil
        commit = nil
    }

    package static let none = VersionNote()

    package var isEmpty: Bool { text == nil && commit == nil && provenance == nil }

    /// Without what an older registry does not keep. The provenance stays: it is not dropped silently.
    package var withoutWords: VersionNote {
        var note = VersionNote.none
        note.provenance = provenance
        return note
    }
}
