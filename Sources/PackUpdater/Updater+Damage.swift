import PackFormat

extension Updater {
    /// Looks at the files of a version at its first start in a run of the app. One with damaged files is left, and the
    /// next update makes it whole again. Below the last one there is nothing: it opens without what is damaged, which is
    /// never shown as what was signed.
    /// - Parameter look: of this version, for one that was not looked at in this run.
    func leaveDamaged(
        _ manifest: Manifest, _ id: VersionID, after look: IdentityLook?, _ state: inout StoreState
    ) throws -> [StoreState.Retreat] {
        guard !checked.contains(id) else { return [] }
        let check = ObjectCheck(store.layout)
        let faults = try check.faults(in: manifest, id, after: look)
        guard let (object, fault) = faults.first else {
            checked.insert(id)
            return []
        }
        check.markDamaged(manifest.package, id.version)
        let reason = "\(faults.count) of its files are damaged, such as object \(object.digest): \(fault)"
        if state[manifest.package].hasOther {
            let left = state.goBack(manifest.package, reason: reason, cause: .damaged, isItsFault: false)
            if !left.isEmpty { return left }
        }
        _ = try ObjectStore(layout: store.layout).dropDamaged(among: faults.map(\.object))
        journal.note(.started, manifest.package, id.version, "it opens without them, for there is no other: \(reason)")
        return []
    }
}
