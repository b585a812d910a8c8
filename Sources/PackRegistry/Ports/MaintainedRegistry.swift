/// The work of a server for its registry while it runs: renewing signatures, making patches and downloads.
package protocol MaintainedRegistry: Sendable {
    /// The right of one server to maintain the registry, for as long as the value exists.
    associatedtype Claim: Sendable

    /// - Throws: ``RegistryError`` of the kind `.conflict` if another server has the registry.
    func claimForServer() throws -> Claim

    /// Runs until its task is cancelled.
    /// - Parameter report: told what went wrong; the work goes on.
    func runMaintenance(claim: Claim, report: @escaping @Sendable (any Error) -> Void) async

    /// Stops the current work. The next server begins it anew.
    func stopMaking()
}
