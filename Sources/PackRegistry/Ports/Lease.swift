/// The right of one process to a piece of work that several could do, until it runs out.
///
/// A holder may stand still for longer than its lease lasts (a suspended machine, a full disk) and then go on. So each
/// acquisition has a higher number than all before it, and a ``RegistryStore`` refuses a change whose ``ChangeSet/lease`` is not
/// the one that is held now.
package struct Lease: Hashable, Sendable {
    /// What a lease is for.
    package enum Name: String, CaseIterable, Sendable {
        /// Serving a registry folder: renewing its signatures, and building patches and downloads.
        case server
        /// Taking the steps of rollout plans.
        case rollout
    }

    package let name: Name
    /// Higher for each acquisition of the name: a fencing token.
    package let number: Int

    package init(_ name: Name, number: Int) {
        self.name = name
        self.number = number
    }
}

/// A lease ran out, or somebody else acquired it: its former holder records nothing under it.
package struct LostLease: Error, Hashable, Sendable, CustomStringConvertible {
    package let name: Lease.Name

    package init(_ name: Lease.Name) {
        self.name = name
    }

    package var description: String {
        "the lease \"\(name.rawValue)\" ran out, or another process has it now: nothing was recorded"
    }
}
