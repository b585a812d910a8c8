package import Foundation
import PackFormat
package import PackPublisher
package import PackRegistryAPI
import PackTrust

/// Looks at a registry as a publisher sees it: whether its metadata leads back to the project's root, how long signatures count,
/// and what the keys and the token here may do.
package struct RegistryDoctor: Sendable {
    /// By role; the others are a package's.
    private static let warningDays = ["timestamp": 2, "snapshot": 3, "channels": 3, "targets": 60, "root": 90]

    private let registry: any Registry
    private let project: ProjectFolder
    private let environment: [String: String]
    private let name: String
    private let now: Date

    /// - Parameter name: how findings call the registry.
    package init(
        _ registry: any Registry, _ project: ProjectFolder, environment: [String: String], name: String, now: Date
    ) {
        self.registry = registry
        self.project = project
        self.environment = environment
        self.name = name
        self.now = now
    }

    package func examine() async -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        do {
            let overview = try await registry.overview()
            findings.append(
                .ok(.registry, name, "the app \(overview.app), \(overview.versions.count) packages"))
        } catch {
            return [
                .error(
                    .registry, name, "\(error)",
                    fix:
                        "check the address (--registry, PACKTOOL_REGISTRY, \"registry\" in packtool.json), and that packtool serve runs"
                )
            ]
        }
        findings += await signatures()
        findings += await trust()
        return findings
    }

    // MARK: Metadata

    /// What mends an expired root or targets.
    private static func rotation(of role: String) -> String {
        "the owner of its keys runs packtool keys rotate \(role == "root" ? "root" : "owner")"
    }

    private func signatures() async -> [DoctorFinding] {
        func read<Body: RoleMetadata>(_ role: String, _ version: Int, as body: Body.Type) async throws -> Body? {
            guard let path = ViewPath(role: role, version: version),
                let bytes = try await registry.viewFile(path, maximumByteCount: 5_000_000)
            else { return nil }
            return try SignedDocument<Body>(parsing: bytes, name: role).body
        }
        func finding(_ role: String, _ expires: Date) -> DoctorFinding {
            let fix =
                switch role {
                case "root", "targets": Self.rotation(of: role)
                case _ where role.hasPrefix("package."):
                    "new devices refuse the package from then on: publish a version of it, or run packtool keys rotate publisher"
                default: "run packtool renew, and find out why the registry's server does not"
                }
            return Expiry(date: expires, now: now, warningDays: Self.warningDays[role] ?? 30).finding(
                .signatureExpiry, "the signature of \(role)",
                fix: fix)
        }
        do {
            guard let timestamp = try await read("timestamp", 1, as: TimestampMetadata.self),
                let snapshot = try await read("snapshot", timestamp.snapshot.version, as: SnapshotMetadata.self)
            else {
                return [
                    .error(
                        .trust, name, "its metadata is not complete",
                        fix: "run packtool status on the registry's machine")
                ]
            }
            var findings = [
                finding("timestamp", timestamp.header.expires), finding("snapshot", snapshot.header.expires),
            ]
            for role in ["targets", ViewLayout.channelsRole] {
                guard let version = snapshot[role: role]?.version,
                    let document = try await read(role, version, as: TargetsMetadata.self)
                else { continue }
                findings.append(finding(role, document.header.expires))
            }
            // Of packages only what is to be done something about: there may be hundreds.
            var packages = 0
            var faults: [DoctorFinding] = []
            for file in snapshot.files.names where file.hasPrefix("package.") && file.hasSuffix(".json") {
                let role = String(file.dropLast(".json".count))
                guard let version = snapshot[role: role]?.version,
                    let document = try await read(role, version, as: TargetsMetadata.self)
                else { continue }
                packages += 1
                let found = finding(role, document.header.expires)
                if found.level != .ok { faults.append(found) }
            }
            if packages > 0, faults.isEmpty {
                findings.append(
                    .ok(.signatureExpiry, "the signatures of packages", "\(packages), for 30 days and more"))
            }
            return findings + faults
        } catch {
            return [
                .error(.trust, name, "its metadata cannot be read: \(error)", fix: "check what answers at this address")
            ]
        }
    }

    /// Whether a device with the project's root accepts what the registry has, and what the publisher's key may sign.
    private func trust() async -> [DoctorFinding] {
        guard let data = FileManager.default.contents(atPath: project.root.path(percentEncoded: false)) else {
            return []
        }
        do {
            // A store of its own: an examination leaves nothing behind.
            let folder = FileManager.default.temporaryDirectory.appending(path: "packtool-doctor-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let trust = try PublisherTrust(
                registry: registry, root: Array(data), store: FolderTrustStore(folder: folder))
            let (root, targets) = try await trust.refresh()
            return [
                .ok(.trust, name, "its metadata leads back to the project's root (now version \(root.body.version))")
            ]
                + delegation(targets.body)
        } catch {
            func isExpired(_ roles: String...) -> Bool { (error as? TrustError)?.isExpiry(of: Set(roles)) == true }
            let fix =
                if isExpired("timestamp", "snapshot", "channels") {
                    "run packtool renew where the registry is, or packtool serve, which renews it; and look at the clocks"
                } else if isExpired("root") {
                    Self.rotation(of: "root")
                } else if isExpired("targets") {
                    Self.rotation(of: "targets")
                } else {
                    "use the root.json of this registry's app; if the registry was restored, run packtool keys rotate online"
                }
            return [
                .error(
                    .trust, name, "a device with the project's root.json refuses it: \(error)",
                    fix: fix)
            ]
        }
    }

    private func delegation(_ targets: TargetsMetadata) -> [DoctorFinding] {
        let keys = KeyFolder(folder: project.keys, environment: environment)
        guard let key = try? keys.signer(.publisher)?.publicKey.id else { return [] }
        let roles = targets.delegations?.roles.filter { $0.roleKeys.keyIDs.contains(key) }.map(\.name) ?? []
        let packages = roles.compactMap { $0.hasPrefix("package.") ? String($0.dropFirst("package.".count)) : nil }
            .sorted()
        guard !packages.isEmpty else {
            return [
                .warning(
                    .delegation, "key \(key.prefix(12))", "it may publish no package yet",
                    fix: "the app's owner publishes the first version, or runs packtool keys delegate PACKAGE --key KEY"
                )
            ]
        }
        let names =
            packages.prefix(5).joined(separator: ", ") + (packages.count > 5 ? " and \(packages.count - 5) more" : "")
        return [.ok(.delegation, "key \(key.prefix(12))", "it may publish \(names)")]
    }
}
