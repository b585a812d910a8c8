import HTTPTypes
import Hummingbird
import PackFormat
import PackRegistry
import PackRegistryAPI

/// The online copy of each version's site, for browsers that read the registry directly: `/site/PACKAGE/VERSION/…`.
/// No device uses it.
///
/// The files come from the objects, also those that a shared bundle carries: its paths are the package's own.
struct SiteController {
    let state: ReleaseCache
    let view: ViewController
    /// Whether people are signed in to pages of the same origin.
    var isBesideDashboard = false

    /// - Parameter target: the request's path as it was sent, `/site/…`.
    func response(to request: Request, target: String, components: [String]) async throws -> Response {
        guard components.count >= 3, let package = try? PackageID(components[1]),
            let version = try? SemanticVersion(components[2]),
            let manifest = try await state.manifest(of: package, version)
        else { throw Problem.notFound("there is no such version, or its publisher withdrew it") }
        guard components.count > 3 else {
            // Relative links need the slash.
            return Response(status: .permanentRedirect, headers: [.location: target + "/"])
        }
        let wantsPage = Self.wantsPage(request)
        switch SitePath.resolve(Self.path(in: target), in: manifest, wantsPage: wantsPage) {
        case .refused(let reason): throw Problem.badRequest("the path is refused: \(reason)")
        case .missing: throw Problem.notFound("\(package) \(version) has no such file")
        case .file(let path, let listed):
            return try await view.response(to: request, with: listed, at: path, fields: fields(of: manifest))
        }
    }

    /// What follows `/site/PACKAGE/VERSION`.
    private static func path(in target: String) -> String {
        var rest = target.utf8[...]
        for _ in 0..<3 {
            rest = rest.dropFirst()
            rest = rest.drop { $0 != UInt8(ascii: "/") }
        }
        return String(Substring(rest))
    }

    /// A navigation gets a single-page application's entry for an unknown path, a request for data does not; as on a device.
    private static func wantsPage(_ request: Request) -> Bool {
        func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headers[$0] } }
        return SitePath.isForPage(
            destination: field("Sec-Fetch-Dest"), mode: field("Sec-Fetch-Mode"), accept: request.headers[.accept])
    }

    /// The manifest's own header fields, and ours over them.
    private func fields(of manifest: Manifest) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in manifest.headers where Self.allowed.contains(name.lowercased()) {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        // The dashboard's policy cuts a page off that opened it, unless that page has the same origin and the same policy.
        if isBesideDashboard, let name = HTTPField.Name("Cross-Origin-Opener-Policy") { fields[name] = nil }
        fields[.cacheControl] = CacheControl.immutable
        fields[.accessControlAllowOrigin] = "*"
        if manifest.isSinglePage { fields[.vary] = "accept, sec-fetch-dest, sec-fetch-mode" }
        return fields
    }

    /// What a package may say about its own answers. All sites share the registry's origin, so nothing that reaches beyond
    /// one answer is among them: no `Service-Worker-Allowed`, `Clear-Site-Data`, `Alt-Svc`, `Set-Cookie`.
    private static let allowed: Set = [
        "content-language", "content-security-policy", "content-security-policy-report-only",
        "cross-origin-embedder-policy", "cross-origin-opener-policy", "cross-origin-resource-policy", "link",
        "origin-agent-cluster", "permissions-policy", "referrer-policy", "timing-allow-origin",
        "x-content-type-options", "x-frame-options", "x-robots-tag",
    ]
}
