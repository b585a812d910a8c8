/// The work of a server for its registry while it runs: renewing signatures, making patches and downloads.
package protocol MaintainedRegistry: Sendable {
    /// Acquires the lease of the registry's server.
    /// - Returns: nil if another of several servers has it.
    /// - Throws: ``RegistryError`` of the kind `.conflict` if another server has a registry that only one may have.
    func claimForServer() async throws -> Lease?

    /// Runs until its task is cancelled, then releases the lease. A lease that was lost meanwhile is acquired again as soon as
    /// it is free; until then nothing is done.
    /// - Parameter lease: nil: another server has it.
    /// - Parameter report: told what went wrong; the work goes on.
    func runMaintenance(under lease: Lease?, report: @escaping @Sendable (any Error) -> Void) async

    /// Stops the current work. The next server begins it anew.
    func stopMaking()
}
