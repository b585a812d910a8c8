package import PackRegistry

extension LocalRegistry {
    /// Renews signatures that expire soon, updates the view, and makes the files that are derived from versions.
    /// - Parameter time: After this time, and if the task is cancelled, the rest is left to the next call; the
    ///   current file is finished.
    /// - Parameter lease: The lease of the server that does it; nil for a command.
    /// - Parameter report: how many of those files are made, and how many there are in all.
    package func maintain(
        for time: Duration? = nil, under lease: Lease? = nil,
        report: @escaping @Sendable (_ made: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws {
        try await services.renew(under: lease)
        // What another process recorded and died before it was shown.
        if try await !isShown(), try await !services.showIfWhole() { try await check() }
        try await BlockingWork.runCancellable(for: time) { [self] isOver in
            if try artifacts.hasLostFolder() { try artifacts.forgetLost() }
            try artifacts.makeWanted(until: isOver, report: report)
        }
        // A server does it now and then.
        if let mirror, lease == nil { try await sweep(mirror) }
    }

    /// Makes the compressed forms in which a server sends online copies.
    /// - Returns: false if something else is wanted first.
    func makeEncodings(for time: Duration? = nil) async throws -> Bool {
        try await BlockingWork.runCancellable(for: time) { [self] in try artifacts.makeEncodings(until: $0) }
    }

    /// Shows what the rows have in place of newer signed metadata: they were restored from a backup. Devices that have seen the newer
    /// refuse it until the online key is another one.
    package func showRestored() async throws {
        guard try await services.isViewAhead() else { return }
        // The same names had other content, and names that are there are not written.
        let view = FolderViewStore(folder: files)
        view.remove(view.forgettable(), keeping: [])
        if let mirror {
            try await mirror.storage.view.list("metadata/") {
                try await mirror.storage.view.remove(listed: $0.map(\.name))
            }
        }
        try await check()
    }

    /// The version of the newest root that devices may have seen. The rows may have lost some.
    package func newestShownRoot() async throws -> Int { try await services.newestShownRoot() }

    /// Looks for every file of the view: what was lost is written again, or made again by ``maintain(report:)``.
    func check() async throws {
        if let mirror { return try await check(mirror) }
        let (check, view) = (ViewCheck(folder: files), FolderViewStore(folder: files))
        try await BlockingWork.run { [self] in
            try artifacts.forgetLost()
            try check.begin()
        }
        let names = view.forgettable()
        let kept = try await services.complete()
        try await BlockingWork.run {
            view.remove(names, keeping: kept)
            try check.end()
        }
    }
}
