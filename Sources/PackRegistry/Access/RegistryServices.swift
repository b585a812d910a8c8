package import Foundation
package import PackFormat
package import PackRegistryAPI

/// The parts of a registry, each behind its port: rows, leases, key, content, and the view for devices.
package struct RegistryServices: Sendable {
    package let store: any RegistryStore
    package let leases: any LeaseStore
    package let content: any ContentStore
    package let view: any ViewStore
    package let downloads: any DownloadBuilder
    /// Nil if the registry keeps no reports.
    package let reports: (any ReportStore)?
    /// Nil if the registry tells nobody what happens.
    package let webhooks: (any WebhookStore)?
    package let clock: @Sendable () -> Date
    private let hold: ViewHold
    private let committer: ChangeCommitter

    package init(
        store: any RegistryStore, leases: any LeaseStore, signer: any OnlineSigner, content: any ContentStore,
        view: any ViewStore, downloads: any DownloadBuilder, reports: (any ReportStore)? = nil,
        webhooks: (any WebhookStore)? = nil, hold: ViewHold = ViewHold(),
        clock: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.leases = leases
        self.content = content
        self.view = view
        self.downloads = downloads
        self.reports = reports
        self.webhooks = webhooks
        self.clock = clock
        self.hold = hold
        committer = ChangeCommitter(store: store, signer: signer, clock: clock)
    }

    /// Records a change and shows it in the view; within ``showingTogether(_:)`` it is shown later.
    /// - Parameter lease: The lease without which nothing is recorded; nil if none is needed.
    /// - Throws: ``RegistryError``. If it says so, the change is recorded and not visible yet. ``LostLease`` if the lease was
    ///   lost.
    package func commit<Change: RegistryChange>(
        _ change: Change, as identity: Identity, under lease: Lease? = nil
    ) async throws -> Change.Outcome {
        let (outcome, isRecorded) = try await committer.commit(change, as: identity, under: lease, keeping: hold.rows)
        if isRecorded, !hold.postpone() { try await showRecorded() }
        return outcome
    }

    /// Shows the changes of the body at once, after the last of them. Only for a command, whose changes come one after another.
    /// - Throws: What the body throws, after the changes before it were shown; ``RegistryError`` where what is recorded is not visible
    ///   yet.
    package func showingTogether<Value>(_ body: () async throws -> Value) async throws -> Value {
        hold.begin()
        let value: Value
        do {
            value = try await body()
        } catch {
            hold.end()
            do { try await showHeld() } catch let unshown as RegistryError {
                guard let error = error as? RegistryError else { throw error }
                throw RegistryError(error.kind, "\(error). Of what was done before: \(unshown)")
            }
            throw error
        }
        hold.end()
        try await showHeld()
        return value
    }

    /// Shows what ``showingTogether(_:)`` has put off: whoever reads the view sees what this process recorded.
    func showHeld() async throws {
        guard hold.take() else { return }
        do { try await showRecorded() } catch {
            hold.putBack()
            throw error
        }
    }

    private func showRecorded() async throws {
        do {
            try await show()
        } catch {
            guard let error = RegistryError(from: error) else { throw error }
            guard error != ViewWriter.behind else {
                throw RegistryError(.unusable, "the change is recorded and not visible: \(error)")
            }
            throw RegistryError(
                // "Busy" would say that nothing was done.
                error.kind == .busy ? .unusable : error.kind,
                "the change is recorded and not visible yet: \(error). The next packtool command on this "
                    + "registry shows it")
        }
    }

    /// Updates the view to what was recorded, by any process.
    package func show() async throws {
        try await ViewWriter(store: store, view: view, knowing: hold.takeRows()).update()
        downloads.wake()
    }

    /// ``show()``, if the view is whole.
    /// - Returns: False if it has to be completed; nothing was shown then.
    package func showIfWhole() async throws -> Bool {
        try await ViewWriter(store: store, view: view).updateIfWhole()
    }

    /// Whether the view shows what the store does not have, so that nothing can be shown.
    package func isViewAhead() async throws -> Bool { try await ViewWriter(store: store, view: view).isAhead() }

    /// The version of the newest root in the view that the owner signed after those of the store, or else the store's newest.
    package func newestShownRoot() async throws -> Int {
        try await ViewWriter(store: store, view: view).newestShownRoot()
    }

    /// Checks every file of the view, writes the missing ones, and updates the view to what was recorded.
    /// - Returns: The paths of all files that follow from the store.
    package func complete() async throws -> Set<ViewPath> {
        try await ViewWriter(store: store, view: view).complete()
    }

    /// Every file of the view that follows from the store, but the timestamp.
    package func files() async throws -> [ViewFile] { try await ViewWriter(store: store, view: view).files() }

    /// Records a change that does not affect the view.
    package func record<Change: RegistryChange>(_ change: Change, as identity: Identity) async throws -> Change.Outcome
    {
        try await committer.commit(change, as: identity).outcome
    }

    /// Renews signatures that expire soon.
    /// - Parameter lease: The lease of the server that renews them; nil for a command.
    /// - Returns: the roles that were due.
    @discardableResult
    package func renew(under lease: Lease? = nil) async throws -> [String] {
        try await commit(SignatureRenewal(), as: .system("renewal"), under: lease)
    }

    /// The online roles that ``renew()`` would sign.
    package func dueRoles() async throws -> [String] {
        try await RenewalRule.dueRoles(store.facts(FactsQuery()), now: clock())
    }

    /// The identity of a token's holder.
    /// - Throws: ``RegistryError`` of the kind `.unauthorized` for an unknown, expired or revoked one.
    package func authenticate(_ text: String) async throws -> Identity {
        // Noise is refused before it asks the store.
        guard let secret = TokenSecret(parsing: text) else {
            throw RegistryError(.unauthorized, "the access token is incomplete, or none: copy all of it, from ptk_ on")
        }
        var query = FactsQuery.unsigned
        query.tokens = .hash(secret.hash)
        let tokens = try await store.facts(query).tokens
        guard let found = tokens.first, TokenSecret.isEqual(found.hash, secret.hash), found.record.trust == nil else {
            throw RegistryError(
                .unauthorized, "the access token is not known to this registry: packtool token create makes one")
        }
        let record = found.record
        if record.revoked != nil {
            throw RegistryError(
                .unauthorized, "the access token \(Identity.name(of: record)) was revoked: \(Self.another(record))")
        }
        if let parent = record.parent {
            guard let trust = tokens.first(where: { $0.record.id == parent })?.record, trust.revoked == nil else {
                throw RegistryError(
                    .unauthorized,
                    "the access token \(Identity.name(of: record)) was made for a CI job, which the registry no longer trusts"
                )
            }
        }
        if let expires = record.expires, record.isExpired(at: clock()) {
            throw RegistryError(
                .unauthorized,
                "the access token \(Identity.name(of: record)) expired on \(expires.formatted(.iso8601)): \(Self.another(record))"
            )
        }
        return Identity(
            name: Identity.name(of: record), scope: record.scope, expires: record.expires, isJob: record.parent != nil)
    }

    private static func another(_ record: TokenRecord) -> String {
        record.parent == nil ? "packtool token create makes another" : "packtool token exchange makes another"
    }

    /// The trusts for id tokens of an issuer.
    package func trusts(in issuer: String) async throws -> [TokenTrust] {
        var query = FactsQuery.unsigned
        query.tokens = .trusts
        return try await store.facts(query).tokens.compactMap { token in
            guard let trust = token.record.trust, token.record.revoked == nil,
                trust.issuer.utf8.elementsEqual(issuer.utf8)
            else { return nil }
            return trust
        }
    }

    /// An access token for a CI job.
    package func exchange(_ token: IDToken, trust: String?) async throws -> CreatedToken {
        var generator = SystemRandomNumberGenerator()
        let exchange = TokenExchange(token, trust: trust, secret: TokenSecret(generator: &generator))
        return try await record(exchange, as: .system("exchange"))
    }
}
