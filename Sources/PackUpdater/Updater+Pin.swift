public import PackFormat

extension Updater {
    /// Pins the active version of a package for something that is not a page by itself: a frame in another package's
    /// page, or a worker.
    ///
    /// No start is counted, and the session's ``PackageSession/loadToken`` is empty: nothing that is answered from it can
    /// confirm the version.
    /// - Returns: nil if nothing is installed, its files are damaged, or the channel's feature gate is off:
    ///   ``open(_:)`` decides then.
    public func pin(_ package: PackageID) throws -> PackageSession? {
        let state = try store.state()[package]
        guard state.isEnabled, let active = state.active,
            let found = try store.manifest(of: package, active.id)
        else { return nil }
        if !checked.contains(active.id) {
            guard try ObjectCheck(store.layout).faults(in: found.manifest, active.id).isEmpty else { return nil }
            checked.insert(active.id)
        }
        let pin = try Self.pin(package, active.id.version, store.layout)
        return PackageSession(
            package: package, manifest: found.manifest, loadToken: "", layout: store.layout, pin: pin)
    }
}
