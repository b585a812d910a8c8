import PackFormat

extension Updater {
    /// Reads every object of every version, fetches the damaged ones again one by one, and links the affected files
    /// anew. A damaged `state.json` is made again from the versions in the store, and from the last channel file.
    ///
    /// It needs the network only if nothing on the device has the bytes, and it trusts nothing but digests.
    public func repair() async throws -> RepairReport {
        let lock = try await store.lockForUpdate(patience: configuration.patience)
        defer { withExtendedLifetime(lock) {} }
        let rebuilt = try store.rebuildDamagedState(ChannelReader.cached(channel, store.layout))
        try Durable.makeFolder(store.layout.downloads)
        let found = try await Repair(
            store: store, transport: transport, journal: journal, targets: try? targets()
        ).run()
        try? ObjectCheck(store.layout).refresh(store, verified: nil)
        let report = RepairReport(
            checkedObjects: found.checkedObjects, repaired: rebuilt + found.repaired, left: found.left)
        for line in report.repaired { journal.note(.repaired, nil, nil, line) }
        for line in report.left { journal.note(.repaired, nil, nil, "still damaged: \(line)") }
        return report
    }
}
