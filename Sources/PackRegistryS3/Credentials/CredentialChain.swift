import Foundation
import PackRegistryAPI

/// Finds credentials in the usual places and keeps them until shortly before they end.
///
/// The order is that of AWS's tools: the environment, the shared file, the container's endpoint, the machine's endpoint. The first
/// place that has some is the one that is asked from then on.
actor CredentialChain {
    /// Credentials that end sooner than this are asked for anew.
    private static let margin: TimeInterval = 300

    private let sources: [any CredentialSource]
    private let now: @Sendable () -> Date
    private var found: (source: any CredentialSource, credentials: S3Credentials)?
    private var search: Task<(any CredentialSource, S3Credentials), any Error>?

    init(_ sources: [any CredentialSource], now: @escaping @Sendable () -> Date) {
        self.sources = sources
        self.now = now
    }

    /// The usual places.
    init(
        environment: [String: String], _ connections: HTTPConnections, now: @escaping @Sendable () -> Date
    ) {
        let sources: [any CredentialSource] = [
            EnvironmentCredentials(environment: environment), SharedCredentialsFile(environment: environment),
            ContainerCredentials(environment: environment, connections),
            InstanceCredentials(environment: environment, connections),
        ]
        self.init(sources, now: now)
    }

    /// - Throws: ``RegistryError``
    func credentials() async throws -> S3Credentials {
        if let found, found.credentials.expiry.map({ $0.timeIntervalSince(now()) > Self.margin }) ?? true {
            return found.credentials
        }
        // Many requests wait for one search.
        let task =
            search ?? Task { [sources, found] in try await Self.search(found.map { [$0.source] } ?? sources) }
        search = task
        do {
            let result = try await task.value
            if search == task { (found, search) = (result, nil) }
            return result.1
        } catch {
            if search == task { search = nil }
            // An endpoint that is away for a moment does no harm to credentials that still count.
            if let found, let expiry = found.credentials.expiry, expiry > now() { return found.credentials }
            throw error
        }
    }

    /// Forgets credentials that were refused: a file may have others by now.
    func forget(_ refused: S3Credentials) {
        if found?.credentials == refused { found = nil }
    }

    /// Where the credentials come from, for messages.
    var origin: String { found?.source.name ?? "nowhere" }

    private static func search(
        _ sources: [any CredentialSource]
    ) async throws -> (any CredentialSource, S3Credentials) {
        for source in sources {
            if let credentials = try await source.credentials() { return (source, credentials) }
        }
        throw RegistryError(
            .unusable,
            "there are no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them into "
                + "~/.aws/credentials, or give this machine or container a role")
    }
}
