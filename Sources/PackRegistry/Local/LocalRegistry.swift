package import Foundation

/// A registry in a folder, opened in place; several processes may have it open at once.
///
///     let local = try LocalRegistry.open(folder)
///     let registry: any Registry = local.acting(as: .local(user: "ann"))
///
/// A server opens one, finds out who asks, and acts as them; every right is checked here:
///
///     let identity = try await local.authenticate(secret)
///     try await local.acting(as: identity).change(change, of: package, on: channel)
package struct LocalRegistry: Sendable {
    package let folder: URL

    /// The published view: plain files that anything can serve.
    package var viewFolder: URL { folder.appending(path: "view", directoryHint: .isDirectory) }

    /// Opens an existing registry and finishes what an interrupted process left.
    package static func open(_ folder: URL) throws -> LocalRegistry {
        LocalRegistry(folder: folder)
    }

    /// Who holds a token.
    /// - Throws: ``RegistryError`` of the kind `.unauthorized` for an unknown, expired or revoked one.
    package func authenticate(_ secret: String) async throws -> Identity {
        throw RegistryError(.unauthorized, "the token is not known")
    }

    /// The same registry with the rights of one identity, which the audit log names.
    package func acting(as identity: Identity) -> ActingRegistry {
        ActingRegistry(local: self, identity: identity)
    }

    /// Signs anew what expires soon, brings the view up to date and makes the patches that are wanted.
    package func maintain(now: Date) async throws {}

    /// Calls ``maintain(now:)`` after every change and every minute, until the task is cancelled; a server runs it.
    package func runMaintenance(report: @Sendable (any Error) -> Void) async {}
}
