import Foundation
import PackFormat
import PackRegistryAPI

/// The objects of a store below its prefix.
///
///     let bucket = S3Bucket(client)
///     try await bucket.put("metadata/1.root.json", bytes, as: S3Kind(path))
///     let part = try await bucket.read("metadata/1.root.json", from: 0, maximumByteCount: 1 << 20)
///
/// An object is there whole and durable, or not at all, and whoever reads after a write finds it (Amazon S3 User Guide, "Amazon S3
/// data consistency model").
struct S3Bucket: Sendable {
    /// What an answer says of an object.
    struct Info: Hashable, Sendable {
        let size: Int
        /// With its quotation marks.
        let tag: String?
    }

    struct Part: Sendable {
        let bytes: [UInt8]
        let size: Int
        let tag: String?
    }

    /// When an object may be written (Amazon S3 User Guide, "Conditional requests").
    enum Condition: Hashable, Sendable {
        case always
        /// No object is there: `If-None-Match: *`.
        case isAbsent
        /// The object with this tag is there: `If-Match`.
        case hasTag(String)
    }

    enum Outcome: Hashable, Sendable {
        case stored(tag: String?)
        /// The condition is not met.
        case refused
    }

    let client: S3Client
    var limits: S3Limits { client.limits }

    init(_ client: S3Client) {
        self.client = client
    }

    // MARK: Reading

    /// - Returns: nil where there is no such object.
    func info(_ name: String) async throws -> Info? {
        do {
            let answer = try await client.answer(to: request("HEAD", name), expecting: [200, 404])
            guard answer.status == 200 else { return nil }
            guard let size = answer.field("Content-Length").flatMap({ Int($0) }) else {
                throw unusable("does not tell the size of \(name)")
            }
            return Info(size: size, tag: answer.field("ETag"))
        } catch let fault as S3Fault {
            // An answer to HEAD has no body, so it does not say what was wrong: a token that has ended, a clock. GET does.
            guard fault.status != nil, fault.code.isEmpty, !fault.isPassing else {
                throw await client.error(for: fault)
            }
            return try await readRange(name, WantedRange(start: 0, maximumByteCount: 1)).map {
                Info(size: $0.size, tag: $0.tag)
            }
        }
    }

    /// Reads a part of an object. Of an object that is read as a whole the checksum is compared.
    /// - Returns: at most `maximumByteCount` bytes from `offset` on; nil where there is no such object.
    func read(_ name: String, from offset: Int, maximumByteCount: Int) async throws -> Part? {
        guard offset >= 0, maximumByteCount > 0 else {
            return try await info(name).map { Part(bytes: [], size: $0.size, tag: $0.tag) }
        }
        let wanted = WantedRange(start: offset, maximumByteCount: maximumByteCount)
        if offset == 0 {
            // Stores give a checksum for all bytes only.
            let answer = try await get(name, wanted, [("x-amz-checksum-mode", "ENABLED")], expecting: [200, 404])
            guard answer.status == 200, !answer.isTooLarge else {
                return answer.status == 200 ? try await readRange(name, wanted) : nil
            }
            return wanted.part(of: answer)
        }
        return try await readRange(name, wanted)
    }

    private func readRange(_ name: String, _ wanted: WantedRange) async throws -> Part? {
        let answer = try await get(name, wanted, [("range", wanted.field)], expecting: [200, 206, 404, 416])
        switch answer.status {
        case 404: return nil
        case 416:
            // Nothing is at this place: the object ends before it.
            guard wanted.start > 0 else { return Part(bytes: [], size: 0, tag: answer.field("ETag")) }
            return try await info(name).map { Part(bytes: [], size: $0.size, tag: $0.tag) }
        default:
            guard let part = wanted.part(of: answer) else { throw unusable("does not give parts of \(name)") }
            return part
        }
    }

    private func get(
        _ name: String, _ wanted: WantedRange, _ fields: [(name: String, value: String)], expecting expected: Set<Int>
    ) async throws -> HTTPAnswer {
        var request = request("GET", name)
        request.fields = fields
        // An error has a body too.
        request.maximumByteCount = max(wanted.maximumByteCount, 1 << 16)
        request.isFaulty = { wanted.fault(of: $0) }
        let answer = try await client.send(request, expecting: expected)
        guard answer.status == 404 else { return answer }
        let fault = S3Fault(answer)
        if fault.code == "NoSuchBucket" { throw await client.error(for: fault) }
        return answer
    }

    // MARK: Writing

    /// Writes an object of which the store verifies the bytes. It is durable at return.
    /// - Parameter digest: the digest of the bytes, where it is known.
    @discardableResult
    func put(
        _ name: String, _ bytes: [UInt8], as kind: S3Kind, digest: Digest? = nil, if condition: Condition = .always
    ) async throws -> Outcome {
        do {
            return try await write(name, bytes, as: kind, digest: digest, if: condition)
        } catch let fault as S3Fault { throw await client.error(for: fault) }
    }

    /// ``put(_:_:as:digest:if:)`` that throws the ``S3Fault`` itself.
    func write(
        _ name: String, _ bytes: [UInt8], as kind: S3Kind, digest: Digest? = nil, if condition: Condition
    ) async throws -> Outcome {
        let digest = digest ?? Digest(of: bytes)
        var request = request("PUT", name)
        request.fields = kind.fields + [(S3Checksum.field, S3Checksum.text(digest))]
        request.body = bytes
        request.digest = digest
        var expected: Set = [200]
        switch condition {
        case .always: break
        case .isAbsent:
            request.fields.append(("if-none-match", "*"))
            expected.insert(412)
        case .hasTag(let tag):
            request.fields.append(("if-match", tag))
            expected.formUnion([404, 412])
        }
        let answer = try await client.answer(to: request, expecting: expected)
        if answer.status == 200 { return .stored(tag: answer.field("ETag")) }
        // An object that is not there does not have the tag. Without the bucket there is no answer at all.
        let fault = S3Fault(answer)
        if fault.code == "NoSuchBucket" { throw fault }
        return .refused
    }

    /// Objects that are not there are fine.
    func remove(_ name: String) async throws {
        let answer = try await client.send(request("DELETE", name), expecting: [200, 204, 404])
        guard answer.status == 404 else { return }
        let fault = S3Fault(answer)
        if fault.code == "NoSuchBucket" { throw await client.error(for: fault) }
    }

    func request(_ method: String, _ name: String) -> S3Request {
        S3Request(method: method, key: client.location.key(name))
    }

    func unusable(_ text: String) -> RegistryError { RegistryError(.unusable, "\(client.name) \(text)") }
}
