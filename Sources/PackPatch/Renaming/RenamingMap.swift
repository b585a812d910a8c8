/// The renamings to apply to the lost objects before they become a patch's prefix.
struct RenamingMap {
    /// The paths that belong together where the names alone do not tell (see ``NamePairs``).
    var pairs: [(gone: Int, added: Int)] = []
    /// Other texts to replace in all objects.
    var rules: [RenamingRule] = []
    /// The names to replace in the object of this index among the lost ones.
    var identifiers: [Int: IdentifierMap] = [:]

    /// The bytes that the renamed objects may have in all, from `byteCount` of them: an honest map hardly changes the
    /// sum, and one from outside must not fill the device.
    static func maximumByteCount(_ byteCount: Int) -> Int {
        byteCount + min(byteCount / 8 + (64 << 10), 8 << 20)
    }
}
