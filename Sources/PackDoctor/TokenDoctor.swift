package import Foundation
package import PackPublisher
import PackRegistryAPI

/// Looks at an access token: whether the server knows it, what it may do, and until when.
package struct TokenDoctor: Sendable {
    private static let warningDays = 30

    private let registry: RemoteRegistry
    private let isGiven: Bool
    private let now: Date

    /// - Parameter isGiven: whether the registry has a token.
    package init(_ registry: RemoteRegistry, isGiven: Bool, now: Date) {
        self.registry = registry
        self.isGiven = isGiven
        self.now = now
    }

    package func examine() async -> [DoctorFinding] {
        guard isGiven else {
            return [
                .warning(
                    .token, "PACKTOOL_TOKEN", "there is no access token: reading works, publishing does not",
                    fix: "packtool token create on the registry's machine, then set PACKTOOL_TOKEN")
            ]
        }
        do {
            let identity = try await registry.identity()
            let scope = identity.scope
            let rights = scope.actions.map(\.rawValue).sorted().joined(separator: ", ")
            var findings: [DoctorFinding] = [
                .ok(
                    .token, identity.name,
                    "it may \(rights), \(Self.names(scope.packages, "package")), \(Self.names(scope.channels, "channel"))"
                )
            ]
            if let expires = identity.expires {
                findings.append(
                    Expiry(date: expires, now: now, warningDays: Self.warningDays).finding(
                        .tokenExpiry, identity.name,
                        fix: "packtool token create, and put the new token where the old one is"))
            }
            return findings
        } catch let error as RegistryError where error.kind == .unauthorized {
            return [
                .error(
                    .token, "PACKTOOL_TOKEN", error.message, fix: "packtool token create, and set PACKTOOL_TOKEN to it")
            ]
        } catch let error as RegistryError where error.kind == .notFound {
            return [.ok(.token, "PACKTOOL_TOKEN", "the registry is older and does not tell what a token may do")]
        } catch {
            return [.error(.token, "PACKTOOL_TOKEN", "\(error)", fix: "try again")]
        }
    }

    private static func names(_ names: Set<some CustomStringConvertible>?, _ what: String) -> String {
        guard let names else { return "all \(what)s" }
        return "\(what)s " + names.map(\.description).sorted().prefix(5).joined(separator: ", ")
    }
}
