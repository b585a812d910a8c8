import PackRegistryAPI

/// Why a store did not do what was asked.
struct S3Fault: Error, Hashable, Sendable {
    /// Nil: no answer came.
    let status: Int?
    /// The store's own word for it, such as `NoSuchBucket` (Amazon S3 API Reference, "Error responses").
    let code: String
    let message: String
    /// The region that the bucket is in, if the store says so.
    var region: String?

    init(status: Int?, code: String = "", message: String) {
        self.status = status
        self.code = code
        // One line: it becomes part of a sentence.
        self.message = String(message.split(whereSeparator: \.isNewline).joined(separator: " ").prefix(300))
    }

    init(_ failure: HTTPFailure) {
        self.init(status: nil, message: failure.description)
    }

    init(_ answer: HTTPAnswer) {
        // An answer to HEAD has no body, and a proxy's has no code.
        let error = (try? S3Element(parsing: answer.body)).flatMap { $0.name == "Error" ? $0 : nil }
        self.init(
            status: answer.status, code: error?["Code"] ?? "",
            message: error?["Message"] ?? "the answer has status \(answer.status)")
        region = answer.field("x-amz-bucket-region")
    }

    /// The same request may succeed later ("Error best practices" of the Amazon S3 User Guide).
    var isPassing: Bool {
        guard let status else { return true }
        switch status {
        case 500, 502, 503, 504, 429: return true
        case 400: return code == "RequestTimeout"
        // Two conditional writes at the same moment: neither is refused for good.
        case 409: return ["ConditionalRequestConflict", "OperationAborted"].contains(code)
        default: return false
        }
    }

    /// The credentials have ended, or are not those of before.
    var isOfCredentials: Bool {
        ["ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId"].contains(code)
    }

    /// What the store received is not what its checksum says. A network or the store itself may have damaged it on the way, so it is worth
    /// another try. It may as well have been wrong from the start, so it is not worth many.
    var isOfBytes: Bool { ["BadDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch"].contains(code) }

    var isOfClock: Bool { code == "RequestTimeTooSkewed" }

    /// The store does not know what was asked for.
    var isUnknown: Bool { status == 501 || code == "NotImplemented" }

    func error(_ store: String, origin: String) -> RegistryError {
        let said = code.isEmpty ? message : "\(message) (\(code))"
        switch (status, code) {
        case (nil, _): return RegistryError(.unreachable, "\(store) cannot be reached: \(said)")
        case (_, "NoSuchBucket"):
            return RegistryError(.notFound, "\(store): there is no such bucket. Make it, or give the right address")
        case (_, "PermanentRedirect"), (_, "AuthorizationHeaderMalformed"), (301, _), (307, _):
            let place = region.map { " It is in \($0): write region=\($0) into the address" } ?? ""
            return RegistryError(.unusable, "\(store) is not at this address or in this region: \(said).\(place)")
        case (_, "AccessDenied"), (403, ""):
            return RegistryError(
                .unusable,
                "\(store) refuses access: \(said). The credentials (from \(origin)) need s3:GetObject, s3:PutObject, "
                    + "s3:DeleteObject, s3:AbortMultipartUpload and s3:ListBucket")
        case (_, "SignatureDoesNotMatch"), (_, "InvalidAccessKeyId"), (_, "ExpiredToken"), (_, "InvalidToken"):
            return RegistryError(
                .unusable,
                "\(store) refuses the credentials (from \(origin)): \(said). Are they right and still valid?")
        case (_, "RequestTimeTooSkewed"):
            return RegistryError(.unusable, "\(store) refuses the time of this machine: \(said). Set its clock")
        case (507, _), (_, "QuotaExceeded"), (_, "XMinioStorageFull"):
            return RegistryError(.full, "\(store) cannot be written: \(said)")
        case _ where isOfBytes:
            return RegistryError(
                .unusable, "\(store) received other bytes than were meant: \(said). Nothing was stored")
        default:
            return isPassing
                ? RegistryError(.busy, "\(store) is busy: \(said). Try again")
                : RegistryError(.unusable, "\(store): \(said)")
        }
    }
}
