import PackRegistryAPI

/// One change of a registry: the facts that it needs, and the rule that says what is recorded.
package protocol RegistryChange: Sendable {
    associatedtype Outcome: Sendable

    var query: FactsQuery { get }

    /// The rule. Pure: the same facts, actor and time give the same changes. If it adds nothing to `changes`, nothing
    /// is recorded.
    /// - Throws: ``RegistryError`` if the change is refused.
    func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> Outcome
}
