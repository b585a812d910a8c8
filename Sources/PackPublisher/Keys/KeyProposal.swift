import PackFormat
import PackJSON
package import PackRegistryAPI
package import PackTrust

/// A new root or targets document that several people have to sign. It is a file that each person signs on their own
/// machine, with a key that never leaves it, until enough have signed and one of them submits it.
///
///     let proposal = try KeyProposal(parsing: bytes).signed(by: [mine])
///     let standing = try proposal.standing(under: root)        // who has signed, and how many are still needed
///
/// The file is the very document that devices will read.
package enum KeyProposal: Sendable {
    case root(SignedDocument<RootMetadata>)
    case targets(SignedDocument<TargetsMetadata>)

    /// The state of the signing.
    package struct Standing: Sendable, Hashable {
        package struct Need: Sendable, Hashable {
            /// The owners of the keys, such as `the present root keys`.
            package let whose: String
            package let valid: Int
            package let needed: Int
            /// The ids of keys that could still sign.
            package let open: [String]
        }

        package let needs: [Need]
        /// Whether the document's version is the next one after the registry's.
        package let isNext: Bool

        package var isComplete: Bool { isNext && needs.allSatisfy { $0.valid >= $0.needed } }
    }

    /// - Throws: ``RegistryError`` of the kind `.invalid` for anything but a root or targets document.
    package init(parsing bytes: [UInt8]) throws(RegistryError) {
        do {
            let type = try JSONValue(parsing: bytes).object().object("signed").string("_type")
            switch TopLevelRole(rawValue: type) {
            case .root: self = .root(try SignedDocument(parsing: bytes))
            case .targets: self = .targets(try SignedDocument(parsing: bytes))
            default: throw RegistryError(.invalid, "its type is \"\(type)\"")
            }
        } catch {
            throw RegistryError(.invalid, "this is not a file of packtool keys propose: \(error)")
        }
    }

    package var bytes: [UInt8] {
        switch self {
        case .root(let document): document.bytes
        case .targets(let document): document.bytes
        }
    }

    package var role: TopLevelRole {
        switch self {
        case .root: .root
        case .targets: .targets
        }
    }

    package var version: Int {
        switch self {
        case .root(let document): document.body.version
        case .targets(let document): document.body.version
        }
    }

    /// The key with which a person signs it: the root key for root, the owner's key for targets.
    package var keyName: KeyFolder.Name {
        switch self {
        case .root: .root
        case .targets: .owner
        }
    }

    /// Adds signatures and keeps those of others.
    package func signed(by signers: [any Signer]) throws -> KeyProposal {
        switch self {
        case .root(let document): .root(try document.signed(by: signers))
        case .targets(let document): .targets(try document.signed(by: signers))
        }
    }

    /// Merges two copies that different people have signed.
    package func merging(_ other: KeyProposal) throws(RegistryError) -> KeyProposal {
        do {
            switch (self, other) {
            case (.root(let mine), .root(let theirs)): return .root(try mine.merging(theirs))
            case (.targets(let mine), .targets(let theirs)): return .targets(try mine.merging(theirs))
            default: throw TrustError.refusedChange(role: role.rawValue, reason: "the copies are of different roles")
            }
        } catch {
            throw RegistryError(.invalid, "\(error)")
        }
    }

    /// Who has signed, by the present root and targets.
    package func standing(
        under root: SignedDocument<RootMetadata>, _ targets: SignedDocument<TargetsMetadata>
    ) -> Standing {
        switch self {
        case .root(let document):
            Standing(
                needs: [
                    need("the present root keys", document, root.body.authority(for: .root)),
                    need("its own root keys", document, document.body.authority(for: .root)),
                ], isNext: document.body.version == root.body.version + 1)
        case .targets(let document):
            Standing(
                needs: [need("the owner's keys", document, root.body.authority(for: .targets))],
                isNext: document.body.version == targets.body.version + 1)
        }
    }

    private func need<Body: RoleMetadata>(
        _ whose: String, _ document: SignedDocument<Body>, _ authority: RoleAuthority
    ) -> Standing.Need {
        let valid = document.validKeys(of: authority)
        return Standing.Need(
            whose: whose, valid: valid.count, needed: authority.threshold,
            open: authority.keys.values.map(\.id).filter { id in !valid.contains { $0.id == id } })
    }
}
