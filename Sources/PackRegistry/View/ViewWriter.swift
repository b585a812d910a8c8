package import PackFormat
package import PackRegistryAPI
import PackTrust

/// Brings the published view to what the registry's store has recorded: idempotent, and never visible half.
///
/// What is to be shown follows from signed documents. They never change under their name and version, so nothing here holds a
/// lock or a transaction: whoever is overtaken finds another timestamp where it wants to show its own, and looks again.
///
/// Order (`docs/REGISTRY.md`): manifests, channel files and metadata, all of them new names that nobody asks for yet; when they are
/// durable, the timestamp. A reader that started with the old one finds every file of then, because files are immutable and the
/// versions before the newest stay for a while.
///
/// An update costs what changed and not what the registry holds: what the shown timestamp leads to was all there before it was.
/// Files that somebody removed since are found by the complete check.
package struct ViewWriter: Sendable {
    /// More than as many processes as show something at the same moment.
    private static let tries = 100
    /// Bytes of a timestamp; devices read no larger one.
    private static let timestampByteCount = 1 << 20
    private static let rootByteCount = 512_000
    /// Devices follow as many in one refresh.
    private static let rootCount = 256

    /// What is wrong where ``isAhead()``.
    package static let behind = RegistryError(
        .unusable,
        "devices have seen newer signed metadata than the registry's rows hold: the database was restored from an older backup, or "
            + "lost its last changes in a failover. If there is a newer copy of it, restore that one. If there is none, run "
            + "packtool keys rotate online --restored, so that devices accept what is here, and publish again what is missing "
            + "(docs/SCALING.md)")

    private let store: any RegistryStore
    private let view: any ViewStore
    private let rows: ReadRows

    package init(store: any RegistryStore, view: any ViewStore) {
        self.init(store: store, view: view, knowing: ReadRows())
    }

    /// - Parameter rows: What was recorded and read a moment ago.
    init(store: any RegistryStore, view: any ViewStore, knowing rows: ReadRows) {
        self.store = store
        self.view = view
        self.rows = rows
    }

    /// Shows what was recorded since the shown timestamp. Whoever commits calls it; a crash in between is made good by the next
    /// call.
    ///
    /// A view that shows what the store does not know, or in which a file is missing that every device reads, is completed.
    package func update() async throws {
        if try await !updateIfWhole() { try await complete() }
    }

    /// ``update()``, if the view is whole.
    /// - Returns: False if it has to be completed; nothing was shown then.
    package func updateIfWhole() async throws -> Bool {
        var rows = rows
        return try await repeated {
            // The next try reads everything again.
            defer { rows = ReadRows() }
            return try await updateOnce(knowing: rows)
        }
    }

    /// Looks for every file, writes what is missing, and shows the newest timestamp.
    /// - Returns: the paths of everything that follows from the store.
    @discardableResult
    package func complete() async throws -> Set<ViewPath> {
        try await repeated { try await completeOnce() }
    }

    /// Whether the view shows signed metadata of this registry that the store does not have: its rows were restored from an
    /// older backup, or lost in a failover. Nothing is shown then, because devices would refuse it, as they refuse an attacker.
    package func isAhead() async throws -> Bool {
        guard let shown = try await view.read(.timestamp, maximumByteCount: Self.timestampByteCount) else {
            return false
        }
        var query = FactsQuery.unsigned
        query.view = .newest
        let facts = try await store.facts(query)
        if try await ViewDocuments(store).lack(shown, facts) { return true }
        return try await lacksRoot(after: facts)
    }

    /// Whether the view shows a root that the owner signed after the store's newest. Its online key may be another one, so that nothing
    /// tells of the timestamp whether it counts.
    private func lacksRoot(after facts: RegistryFacts) async throws -> Bool {
        guard try await newestShownRoot(after: facts, atMost: 1) > facts.base.root else { return false }
        // Another process may have recorded and shown it meanwhile.
        var query = FactsQuery.unsigned
        query.view = .newest
        return try await store.facts(query).base.root == facts.base.root
    }

    /// The version of the newest root that the view shows, as far as each is signed by the one before, from the store's newest on.
    package func newestShownRoot() async throws -> Int {
        var query = FactsQuery.unsigned
        query.view = .newest
        return try await newestShownRoot(after: store.facts(query), atMost: Self.rootCount)
    }

    private func newestShownRoot(after facts: RegistryFacts, atMost count: Int) async throws -> Int {
        let documents = ViewDocuments(store)
        let id = DocumentID(role: TopLevelRole.root.rawValue, version: facts.base.root)
        let found = try await documents.bytes(of: [id])
        guard var newest: RootMetadata = try documents.parse(found[id], id) else { return facts.base.root }
        for _ in 0..<count {
            let path = ViewPath.metadata(.root, version: newest.version + 1)
            let part = try await view.read(path, from: 0, maximumByteCount: Self.rootByteCount)
            guard let part, part.bytes.count == part.size,
                let next = try? SignedDocument<RootMetadata>(parsing: part.bytes),
                next.body.version == newest.version + 1,
                (try? next.verify(by: newest.authority(for: .root))) != nil
            else { break }
            newest = next.body
        }
        return newest.version
    }

    /// Every file that follows from the store, but the timestamp.
    package func files() async throws -> [ViewFile] {
        var query = FactsQuery.unsigned
        query.view = .everything
        return try await ViewDocuments(store).everything(store.facts(query))
    }

    private func repeated<Value>(_ body: () async throws -> Value) async throws -> Value {
        for attempt in 1...Self.tries {
            do { return try await body() } catch is StaleView {
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...min(4 * attempt, 100))))
            }
        }
        throw RegistryError(
            .unusable,
            "the view cannot be brought up to date: the store does not have what its newest timestamp leads to. Restore "
                + "it from a backup")
    }

    /// - Returns: false where the view has to be completed.
    private func updateOnce(knowing rows: ReadRows) async throws -> Bool {
        // First what is shown and then what was recorded: so the newest of then is never older.
        let shown = try await view.readToReplace(maximumByteCount: Self.timestampByteCount)
        var query = FactsQuery.unsigned
        query.view = .newest
        let facts = try await store.facts(query)
        guard let newest = facts.documents[TopLevelRole.timestamp.rawValue] else { return true }
        let documents = ViewDocuments(store, rows)
        guard let shown, let whole = try await documents.whole(of: shown) else { return false }
        let isLookDue = view.isLookDue
        if isLookDue {
            let frame = try await documents.frame(of: whole, oldest: facts.oldestManifest)
            guard try await view.put(frame).isEmpty else { return false }
        }
        // Roots are not in the snapshot, and all of them are kept: a new one alone brings no new timestamp.
        let newestRoot = facts.base.root
        try await view.put(documents.roots(from: isLookDue ? 1 : newestRoot, through: newestRoot))
        if isLookDue { view.look() }
        guard shown != newest else { return true }
        let difference = try await ViewDifference(since: whole, to: documents.requiredWhole(of: newest), documents)
        try await documents.read(for: difference.files)
        try await view.add(difference.files)
        // Read while the old metadata is there.
        let outdated = try await difference.outdated + difference.outdatedChannelFiles(in: view)
        try await view.show(newest, replacing: shown)
        try await view.remove(outdated)
        return true
    }

    private func completeOnce() async throws -> Set<ViewPath> {
        let shown = try await view.read(.timestamp, maximumByteCount: Self.timestampByteCount)
        var query = FactsQuery.unsigned
        query.view = .everything
        let facts = try await store.facts(query)
        guard let newest = facts.documents[TopLevelRole.timestamp.rawValue] else { return [] }
        let documents = ViewDocuments(store)
        if let shown {
            if try await documents.lack(shown, facts) { throw Self.behind }
            if try await lacksRoot(after: facts) { throw Self.behind }
        }
        let all = try await documents.everything(facts)
        let frame = try await documents.frame(
            of: documents.requiredWhole(of: newest), oldest: facts.oldestManifest)
        // What every device reads is put last: a repair that is interrupted is begun again by the next update.
        let last = Set(frame.map(\.path))
        try await view.put(all.filter { !last.contains($0.path) })
        try await view.put(frame)
        if shown != newest { try await view.show(newest, replacing: shown) }
        return Set(all.map(\.path)).union(last).union([.timestamp])
    }
}
