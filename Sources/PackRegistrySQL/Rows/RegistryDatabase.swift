import PackRegistry

/// The database of a registry's rows.
package protocol RegistryDatabase: Sendable {
    /// As messages name it, without secrets.
    var name: String { get }

    /// Whether the rows had the form of an earlier packtool when they were opened, and were brought to this one's.
    var isMigrated: Bool { get }

    /// One consistent read, on this thread. It may be done again if the database goes away meanwhile.
    /// - Throws: ``RegistryError``, or what the body throws.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value

    /// One transaction, alone among all processes, on this thread. It may be done again if nothing of it was recorded.
    /// - Throws: ``RegistryError``, or what the body throws; nothing is recorded then.
    func write<Value>(_ body: (Database) throws -> Value) throws -> Value

    /// ``read(_:)`` on a thread that may wait.
    func reading<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value

    /// ``write(_:)`` on a thread that may wait.
    func writing<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value
}

extension RegistryDatabase {
    package func reading<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value { try await BlockingWork.run { try read(body) } }

    package func writing<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value { try await BlockingWork.run { try write(body) } }
}
