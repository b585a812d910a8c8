import PackFormat

extension PatchPlan {
    /// Whether a patch of one plan is one of the other: it has the same sizes in the same order, and renames the same.
    func isSame(as other: PatchPlan) -> Bool {
        let (names, others) = (NamePairs(self), NamePairs(other))
        func evident(_ names: NamePairs) -> [[[UInt8]]] {
            names.evident.map { [names.gone[$0.gone].name.hash, names.added[$0.added].name.hash] }
        }
        return new.map(\.size) == other.new.map(\.size) && lost == other.lost && evident(names) == evident(others)
            && names.gone.count == others.gone.count && names.added.count == others.added.count
    }
}
