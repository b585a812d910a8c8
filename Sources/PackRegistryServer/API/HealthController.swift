import Foundation
import Hummingbird
import Logging
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI
import PackTrust

/// Answers load balancers and process supervisors: `live` while the process answers, `ready` while it can serve.
struct HealthController {
    private static let maximumMetadataByteCount = 16 << 20

    private let host: any RegistryHost
    private let database: SharedAnswer<Void>

    /// - Parameter time: how long a probe waits for the database. Kubernetes, HAProxy and systems like them wait some seconds.
    init(host: any RegistryHost, within time: Duration = .seconds(3)) {
        self.host = host
        database = SharedAnswer(within: time) {
            // A version that nobody has: to find that out, the database is read.
            _ = try await host.manifest(of: PackageID("health"), SemanticVersion("0.0.0-ready"))
        }
    }

    func addRoutes(to router: EndpointRouter) {
        router.add(Endpoints.healthLive) { _, _ in Response.json(["status": "live"]) }
        router.add(Endpoints.healthReady, ready)
        router.add(Endpoints.healthDetails) { call, _ in try await details(call.registry) }
    }

    private func details(_ registry: any Registry) async throws -> HealthDetails {
        var signatures: [String: HealthDetails.Signature] = [:]
        func read<Body: RoleMetadata>(_ role: String, _ version: Int?, as body: Body.Type) async throws -> Body? {
            guard let path = ViewPath(role: role, version: version ?? 1),
                let bytes = try await registry.viewFile(path, maximumByteCount: Self.maximumMetadataByteCount)
            else { return nil }
            let document = try SignedDocument<Body>(parsing: bytes, name: role).body
            signatures[role] = HealthDetails.Signature(
                version: document.header.version, expires: document.header.expires)
            return document
        }
        let timestamp = try await read("timestamp", nil, as: TimestampMetadata.self)
        let snapshot = try await read("snapshot", timestamp?.snapshot.version, as: SnapshotMetadata.self)
        for role in ["targets", ViewLayout.channelsRole] {
            _ = try await read(role, snapshot?[role: role]?.version, as: TargetsMetadata.self)
        }
        return HealthDetails(app: host.app, version: ProductVersion.text, signatures: signatures)
    }

    @Sendable func ready(request: Request, context: RegistryRequestContext) async throws -> Response {
        guard FileManager.default.isReadableFile(atPath: host.viewFolder.path) else {
            throw RegistryError(.busy, "the published view cannot be read")
        }
        do {
            try await database.value()
        } catch {
            // Anybody may ask, and the reason names hosts and users.
            context.logger.error("not ready: the registry's database cannot be read: \(error)")
            let kind: RegistryError.Kind = (error as? RegistryError)?.kind == .unreachable ? .unreachable : .busy
            throw RegistryError(kind, "the registry's database cannot be read; the server's log says why")
        }
        return .json(["status": "ready"])
    }
}
