#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SignedDocument {
    /// Returns the document with an additional signature by each signer. Other signatures over the same content are
    /// kept; one by the same key is replaced.
    /// - Throws: The signer's error, or ``TrustError/invalidKey(reason:)`` if its result is not a signature.
    public func signed(by signers: any Signer...) throws -> SignedDocument {
        try signed(by: signers)
    }

    /// See ``signed(by:)``.
    public func signed(by signers: [any Signer]) throws -> SignedDocument {
        var kept = signatures
        for signer in signers {
            let key = signer.publicKey
            let signature = try signer.sign(signedBytes)
            guard key.isValid(signature, for: signedBytes) else {
                throw TrustError.invalidKey(reason: "the signer of \(key.id) made something that is no signature by it")
            }
            kept.removeAll { $0.keyID.isExactly(key.id) }
            kept.append(Signature(keyID: key.id, bytes: signature))
        }
        return SignedDocument(body: body, signedObject: signedObject, signatures: kept, envelope: envelope)
    }

    /// Returns the document with the signatures of another copy, which somebody else has signed meanwhile.
    /// - Throws: ``TrustError/refusedChange(role:reason:)`` if the copies have different content.
    public func merging(_ other: SignedDocument) throws(TrustError) -> SignedDocument {
        guard signedBytes == other.signedBytes else {
            throw .refusedChange(role: Body.typeName, reason: "the copies do not say the same")
        }
        let added = other.signatures.filter { signature in
            !signatures.contains { $0.keyID.isExactly(signature.keyID) }
        }
        return SignedDocument(
            body: body, signedObject: signedObject, signatures: signatures + added, envelope: envelope)
    }

    /// Returns the next version: with the changed body, the version one higher, and new signatures. Signatures over
    /// the old content are dropped.
    ///
    /// - Parameter expires: The new expiry; nil keeps the old one.
    public func revised(
        expires: Date? = nil, signers: [any Signer], _ change: (inout Body) throws -> Void = { _ in }
    ) throws -> SignedDocument {
        var next = body
        try change(&next)
        next.version = body.version + 1
        if let expires { next.expires = expires }
        return try SignedDocument(unsigned: next).signed(by: signers)
    }
}
