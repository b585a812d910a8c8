import struct Crypto.SHA256
import Foundation
import PackFormat
import PackRegistry
import PackRegistryAPI

/// Writing a file of any size (Amazon S3 User Guide, "Uploading and copying objects using multipart upload").
extension S3Bucket {
    /// Writes an object from a file of this machine. It is durable at return.
    /// - Parameter digest: what the file is to have.
    /// - Throws: ``RegistryError`` of the kind `.unusable` where the file has other bytes. Nothing is stored then.
    func put(_ name: String, file: URL, size: Int, digest: Digest, as kind: S3Kind) async throws {
        let input = try UploadFile(file, size: size)
        guard size > limits.wholeByteCount else {
            let bytes = try await input.read(size, at: 0)
            // The store compares them with the digest.
            try await put(name, bytes, as: kind, digest: digest)
            return
        }
        let upload = try await begin(name, as: kind)
        do {
            try await complete(name, upload, parts: sendParts(of: input, digest: digest, name, upload), size: size)
        } catch {
            // In a task of its own, because this one may be cancelled.
            let abandoning = Task { try await abandon(name, upload) }
            try? await abandoning.value
            throw error
        }
    }

    private struct SentPart: Sendable {
        let number: Int
        let tag: String
        let digest: Digest
    }

    /// 10,000 parts at most.
    private func partByteCount(_ size: Int) -> Int { max(limits.partByteCount, (size + 9_999) / 10_000) }

    private func begin(_ name: String, as kind: S3Kind) async throws -> String {
        var request = request("POST", name)
        request.query = [("uploads", "")]
        request.fields = kind.fields + [("x-amz-checksum-algorithm", S3Checksum.algorithm)]
        let answer = try await client.send(request, expecting: [200])
        guard let id = (try? S3Element(parsing: answer.body))?["UploadId"], !id.isEmpty else {
            throw unusable("gives no id for the upload of \(name) in parts")
        }
        return id
    }

    private func sendParts(
        of input: UploadFile, digest: Digest, _ name: String, _ upload: String
    ) async throws -> [SentPart] {
        let step = partByteCount(input.size)
        return try await withThrowingTaskGroup(of: SentPart.self) { group in
            var sent: [SentPart] = []
            var hash = SHA256()
            for (index, offset) in stride(from: 0, to: input.size, by: step).enumerated() {
                if index >= limits.partsAtOnce, let part = try await group.next() { sent.append(part) }
                let bytes = try await input.read(min(step, input.size - offset), at: offset)
                hash.update(data: bytes)
                group.addTask { try await send(bytes, number: index + 1, name, upload) }
            }
            for try await part in group { sent.append(part) }
            guard Digest(hash.finalize()) == digest else {
                throw RegistryError(.unusable, "\(input.name) has other bytes than it had before: nothing was stored")
            }
            return sent.sorted { $0.number < $1.number }
        }
    }

    private func send(_ bytes: [UInt8], number: Int, _ name: String, _ upload: String) async throws -> SentPart {
        let digest = Digest(of: bytes)
        var request = request("PUT", name)
        request.query = [("partNumber", "\(number)"), ("uploadId", upload)]
        request.fields = [(S3Checksum.field, S3Checksum.text(digest))]
        request.body = bytes
        request.digest = digest
        let answer = try await client.send(request, expecting: [200])
        guard let tag = answer.field("ETag") else { throw unusable("gives no tag for a part of \(name)") }
        return SentPart(number: number, tag: tag, digest: digest)
    }

    private func complete(_ name: String, _ upload: String, parts: [SentPart], size: Int) async throws {
        let list = parts.map { part -> String in
            let (tag, checksum) = (S3Element.escaped(part.tag), S3Checksum.text(part.digest))
            return "<Part><PartNumber>\(part.number)</PartNumber><ETag>\(tag)</ETag>"
                + "<ChecksumSHA256>\(checksum)</ChecksumSHA256></Part>"
        }
        let root = "CompleteMultipartUpload"
        let text = "<\(root) xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(list.joined())</\(root)>"
        var request = request("POST", name)
        request.query = [("uploadId", upload)]
        request.fields = [("content-type", "application/xml")]
        request.body = Array(text.utf8)
        // A store may begin to answer with 200 before it knows ("CompleteMultipartUpload" of the API Reference).
        request.isFaulty = { answer in
            guard answer.status == 200 else { return nil }
            guard let root = try? S3Element(parsing: answer.body) else {
                return HTTPFailure(description: "the end of an upload was not confirmed")
            }
            guard root.name == "Error" else { return nil }
            return HTTPFailure(description: root["Message"] ?? "an upload was not completed")
        }
        let answer = try await client.send(request, expecting: [200, 404])
        guard answer.status == 404 else { return }
        // It was completed by a request whose answer was lost, and its id is unknown since.
        guard try await info(name)?.size == size else { throw await client.error(for: S3Fault(answer)) }
    }

    private func abandon(_ name: String, _ upload: String) async throws {
        var request = request("DELETE", name)
        request.query = [("uploadId", upload)]
        _ = try await client.send(request, expecting: [200, 204, 404])
    }
}

/// A file of this machine that is read in parts.
private struct UploadFile: Sendable {
    let file: URL
    let size: Int

    var name: String { file.path(percentEncoded: false) }

    init(_ file: URL, size: Int) throws {
        self.file = file
        self.size = size
    }

    func read(_ count: Int, at offset: Int) async throws -> [UInt8] {
        try await BlockingWork.run {
            let input = try FileHandle(forReadingFrom: file)
            defer { try? input.close() }
            try input.seek(toOffset: UInt64(offset))
            var bytes: [UInt8] = []
            while bytes.count < count, let data = try input.read(upToCount: count - bytes.count), !data.isEmpty {
                bytes += data
            }
            guard bytes.count == count else {
                throw RegistryError(.unusable, "\(name) is shorter than it was before: nothing was stored")
            }
            return bytes
        }
    }
}
