import Foundation
import Hummingbird
import PackJSON

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
            _ = try await host.authenticate("")
        } catch let error as RegistryError where error.kind == .unauthorized {
            // The token is not known, as it must be; to find that out, the database was read.
        }
        return .json(["status": "ready"])
    }
}
