package import PackTrust

/// The keys of the registry itself: for channels, snapshot and timestamp, and for nothing installable.
package protocol OnlineSigner: Sendable {
    /// Signs with every key that the authority names. It may wait for a file or for a command.
    /// - Throws: ``RegistryError`` of the kind `.unusable` where the keys do not suffice.
    func sign<Body: RoleMetadata>(_ body: Body, for authority: RoleAuthority) throws -> SignedDocument<Body>
}
