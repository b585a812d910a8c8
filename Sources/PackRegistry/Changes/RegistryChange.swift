import PackRegistryAPI

/// One change of a registry: what it has to know, and the rule that says what is recorded.
package protocol RegistryChange: Sendable {
    associatedtype Outcome: Sendable

    var query: FactsQuery { get }

    /// Pure: the same facts, actor and time give the same changes. Nothing is recorded where nothing is put into `changes`.
    /// - Throws: ``RegistryError`` where the change is refused.
    func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> Outcome
}
