// Stub of the module `LiveUpdateProvider` of ionic-team/live-update-provider-sdk, version 0.2.0 as of its commit 901fac3f (2026): the
// types that Examples/ios-host/PortalsProvider.swift uses. Nothing of it is called.
public import Foundation

public protocol ProviderSyncResult {}

public struct MetadataSyncResult: ProviderSyncResult {
    public let metadata: [String: Any]
    public init(metadata: [String: Any]) { self.metadata = metadata }
}

public protocol ProviderManager {
    var latestAppDirectory: URL? { get }
    func sync() async throws -> (any ProviderSyncResult)?
}

public protocol LiveUpdateProvider {
    var id: String { get }
    func createManager(config: [String: Any]) throws -> any ProviderManager
}
