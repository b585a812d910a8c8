@testable import PackRegistry

extension RegistryFacts {
    /// What the twin in memory answers of proposed changes.
    mutating func read(_ query: FactsQuery.Approvals, from events: [ApprovalEvent]) {
        let ids = Set(events.compactMap(\.change)).sorted(by: >)
        nextChange = (ids.first ?? 0) + 1
        let wanted: [Int] =
            switch query {
            case .change(let id): [id]
            case .newest(let count): Array(ids.prefix(count))
            case .open:
                ids.filter { id in
                    !events.contains { event in
                        event.change == id && ["reject", "execute", "fail"].contains(event.kind.name)
                    }
                }
            }
        approvalEvents = events.filter { $0.change.map(wanted.contains) ?? false }
    }
}
