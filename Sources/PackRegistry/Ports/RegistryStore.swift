package import PackFormat
package import PackRegistryAPI

/// The rows of a registry: versions, releases, signed metadata, tokens, the audit log.
///
/// No closure runs inside a transaction of the store. A change reads its facts, decides by a pure rule, and records
/// the result on the condition that nothing was recorded meanwhile:
///
///     let facts = try await store.facts(change.query)
///     let outcome = try change.decide(facts, into: &changes)
///     try await store.commit(changes, basedOn: facts.base)     // StaleFacts: once more
package protocol RegistryStore: Sendable {
    /// Reads the facts that a query names, all as of one moment.
    /// - Throws: ``RegistryError``
    func facts(_ query: FactsQuery) async throws -> RegistryFacts

    /// Records a whole change or nothing. It is durable when this returns.
    /// - Parameter base: The base of the facts that decided the change; nil for a change that no other one can contradict.
    /// - Throws: ``StaleFacts`` if another change was recorded since, ``LostLease`` if the change's lease was lost,
    ///   ``RegistryError``
    func commit(_ changes: ChangeSet, basedOn base: RegistryFacts.Base?) async throws

    /// Published versions and all releases.
    /// - Parameter packages: those whose versions are read; nil: of all.
    func overview(of packages: Set<PackageID>?) async throws -> RegistryOverview
}

/// Another change was recorded after the facts of this one were read, so it must be decided again.
package struct StaleFacts: Error, Hashable, Sendable {
    package init() {}
}
