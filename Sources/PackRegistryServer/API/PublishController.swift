import Foundation
import HTTPTypes
import Hummingbird
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI

/// Publishes: missing objects, the upload, the version.
struct PublishController {
    let bearer: Bearer
    let host: any RegistryHost
    let limits: ServerLimits
    let memory: BodyMemory
    let writes: ConcurrencyGate
    let uploads: ConcurrencyGate

    func addRoutes(to router: EndpointRouter) {
        router.add(Endpoints.missingObjects, missingObjects)
        router.add(Endpoints.uploads, upload)
        router.add(Endpoints.publishVersion) { call, version in
            try await call.registry.publish(
                manifest: version.manifest, role: version.role, note: version.note)
        }
        router.add(Endpoints.provenance) { call, _ in
            // As the overview keeps notes and commits from strangers.
            guard call.identity != nil else {
                throw Problem.unauthorized(
                    "this tells where a version was built: send an access token", isTokenGiven: false)
            }
            let version = try VersionName(PackageID(call.value("package")), SemanticVersion(call.value("version")))
            guard let bytes = try await call.registry.provenance(of: version) else {
                throw Problem.notFound("there is no provenance of \(version)")
            }
            return bytes
        }
        router.add(Endpoints.withdraw) { call, withdrawal in
            try await call.registry.withdraw(
                SemanticVersion(call.value("version")), of: PackageID(call.value("package")),
                reason: withdrawal.reason, role: withdrawal.role, consent: withdrawal.consent)
        }
        router.add(Endpoints.previewWithdrawal) { call, reason in
            try await call.registry.previewWithdrawal(
                of: SemanticVersion(call.value("version")), of: PackageID(call.value("package")), reason: reason)
        }
        router.add(Endpoints.submitMetadata, submit)
    }

    @Sendable func missingObjects(request: Request, context: RegistryRequestContext) async throws -> Response {
        let registry = try await bearer.registry(for: request, context, by: Endpoints.missingObjects)
        return try await writes.pass {
            let manifest = try await memory.bytes(of: request, context, upTo: limits.maximumManifestByteCount)
            let missing = try await memory.atDesk(manifest.count) { try await registry.missingObjects(of: manifest) }
            return .json(["missing": .array(missing.sorted().map { .string($0.hex) })])
        }
    }

    @Sendable func upload(request: Request, context: RegistryRequestContext) async throws -> Response {
        let registry = try await bearer.registry(for: request, context, by: Endpoints.uploads)
        try request.refuseBody(over: limits.maximumUploadByteCount)
        let expected = try Self.contentDigest(of: request)
        return try await uploads.pass {
            let file = try UploadFile(folder: host.uploadFolder)
            let received = try await file.receive(request.receivedBody, atMost: limits.maximumUploadByteCount)
            if let length = request.headers[.contentLength].flatMap({ Int($0) }), length != received.size {
                throw Problem.badRequest("the upload ended after \(received.size) of \(length) bytes")
            }
            if let expected, expected != received.digest {
                throw Problem.badRequest("the upload was damaged on its way: its SHA-256 is \(received.digest)")
            }
            let manifest = try await registry.upload(archive: file.url)
            return .json(
                [
                    "manifest": .string(manifest.hex), "sha256": .string(received.digest.hex),
                    "size": .integer(received.size),
                ], status: .created)
        }
    }

    @Sendable func submit(request: Request, context: RegistryRequestContext) async throws -> Response {
        let role = try context.parameters.require("role")
        let registry = host.registry(as: try await bearer.identity(of: request, context))
        return try await writes.pass {
            let metadata = try await memory.bytes(of: request, context, upTo: limits.maximumDocumentByteCount)
            try await memory.atDesk(metadata.count) { try await registry.submit(metadata: metadata, role: role) }
            return Response(status: .noContent)
        }
    }

    /// The SHA-256 of a `Content-Digest` field (RFC 9530), where the client sent one.
    private static func contentDigest(of request: Request) throws -> Digest? {
        guard let field = HTTPField.Name("Content-Digest").flatMap({ request.headers[$0] }) else { return nil }
        for member in field.split(separator: ",") {
            let member = member.drop { $0 == " " }
            guard member.hasPrefix("sha-256=:"), member.hasSuffix(":") else { continue }
            let text = member.dropFirst("sha-256=:".count).dropLast()
            if let bytes = Data(base64Encoded: String(text)), bytes.count == 32 {
                return try Digest(hex: bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
            }
            throw Problem.badRequest("the Content-Digest field is not a SHA-256")
        }
        return nil
    }
}
