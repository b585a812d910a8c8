// Stub of the module `LiveUpdateProvider` of ionic-team/live-update-provider-sdk, its tag 0.1.0-alpha.1 (commit 2ea3765a): the types that
// Examples/ios-host/PortalsProvider.swift uses. Nothing of it is called.
public import Foundation

public enum LiveUpdateError: Error, Sendable {
    case providerNotRegistered(String)
    case invalidConfiguration(String, underlyingError: (any Error)?)
    case syncFailed(String, underlyingError: (any Error)?)
}

public protocol SyncResult {}

public protocol FederatedCapacitorSyncResult: SyncResult {
    var didUpdate: Bool { get }
    var metadata: [String: any Sendable]? { get }
}

public protocol LiveUpdateManaging: Sendable {
    var latestAppDirectory: URL? { get }
    func sync() async throws -> any SyncResult
}

public protocol LiveUpdateProviding: Sendable {
    var id: String { get }
    func createManager(config: [String: any Sendable]?) throws -> any LiveUpdateManaging
}
