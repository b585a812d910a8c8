/// Whether enough keys of a role have signed a document (TUF 1.0.34 §5).
extension SignedDocument {
    /// The keys of the authority that made a valid signature, each key once however many ids it has.
    public func validKeys(of authority: RoleAuthority) -> [PublicKey] {
        var valid: [PublicKey] = []
        for signature in signatures {
            guard let key = authority.keys[signature.keyID], let raw = [UInt8](hexadecimal: signature.hex),
                key.isValid(raw, for: signedBytes), !valid.contains(where: { $0.isSameKey(as: key) })
            else { continue }
            valid.append(key)
        }
        return valid
    }

    /// Accepts the document if enough keys of the authority have signed it. Signatures by other keys do not matter,
    /// and neither do invalid ones beyond the threshold.
    /// - Throws: ``TrustError/threshold(role:valid:needed:)``
    public func verify(by authority: RoleAuthority) throws(TrustError) {
        let valid = validKeys(of: authority).count
        guard valid >= authority.threshold else {
            throw .threshold(role: authority.role, valid: valid, needed: authority.threshold)
        }
    }
}
