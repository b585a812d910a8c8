/// What a server does for its registry while it runs: signatures are renewed, patches and downloads are made.
package protocol MaintainedRegistry: Sendable {
    /// The right of one server to the registry, for as long as it is held.
    associatedtype Claim: Sendable

    /// - Throws: ``RegistryError`` of the kind `.conflict` where another server has the registry.
    func claimForServer() throws -> Claim

    /// Runs until its task is cancelled.
    /// - Parameter report: told what went wrong; the work goes on.
    func runMaintenance(claim: Claim, report: @escaping @Sendable (any Error) -> Void) async

    /// Ends what is being made now. It is begun anew by the next server.
    func stopMaking()
}
