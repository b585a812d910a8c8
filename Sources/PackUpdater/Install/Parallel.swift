/// Runs a task for each element, a few at a time. The first error cancels the rest and is thrown.
enum Parallel {
    static func forEach<Element: Sendable>(
        _ elements: [Element], limit: Int, _ body: @escaping @Sendable (Element) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var rest = elements.makeIterator()
            for _ in 0..<max(1, limit) {
                guard let element = rest.next() else { break }
                group.addTask { try await body(element) }
            }
            while try await group.next() != nil {
                guard let element = rest.next() else { continue }
                group.addTask { try await body(element) }
            }
        }
    }
}
