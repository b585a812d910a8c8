// Stands in for Apple's Network framework: only what the example app says of a path, and without any behaviour.
public import Dispatch

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }

    public var status: Status { .unsatisfied }
    public var isExpensive: Bool { false }
}

public final class NWPathMonitor: Sendable {
    public init() {}

    public var currentPath: NWPath { NWPath() }

    public func start(queue: DispatchQueue) {}
}
