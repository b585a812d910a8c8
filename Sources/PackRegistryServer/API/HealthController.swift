import Foundation
import Hummingbird
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI

/// For load balancers and process supervisors: `live` while the process answers, `ready` while it can serve.
struct HealthController {
    let host: any RegistryHost

    func addRoutes(to router: Router<RegistryRequestContext>) {
        router.get("health/live") { _, _ in Response.json(["status": "live"]) }
        router.get("health/ready", use: ready)
    }

    @Sendable func ready(request: Request, context: RegistryRequestContext) async throws -> Response {
        guard FileManager.default.isReadableFile(atPath: host.viewFolder.path) else {
            throw RegistryError(.busy, "the published view cannot be read")
        }
        do {
            // A version that nobody has: to find that out, the database is read.
            _ = try await host.manifest(of: PackageID("health"), SemanticVersion("0.0.0-ready"))
        } catch {
            throw RegistryError(.busy, "the registry's database cannot be read: \(error)")
        }
        return .json(["status": "ready"])
    }
}
