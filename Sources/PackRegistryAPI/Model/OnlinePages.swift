package import PackFormat

/// What devices show of a package while its gate is off: the pages at the first of the `origins` that the manifest of their
/// version lists, or an error page if it lists none.
package struct OnlinePages: Hashable, Sendable {
    private let package: PackageID
    /// The offered versions whose pages are on the web too, newest first.
    package let versionsWithOrigins: [SemanticVersion]
    /// The offered versions of which devices show an error page, newest first.
    package let versionsWithoutOrigins: [SemanticVersion]
    /// The offered versions whose manifests could not be read, newest first.
    package let unknownVersions: [SemanticVersion]
    /// Whether what the app embeds is offered. Its manifest is in the app, and not in the registry.
    package let isEmbeddedOffered: Bool
    /// Why the first of the unknown versions is unknown.
    private let fault: String

    /// Reads the manifests of what a channel offers. What cannot be read is unknown and no error, because a gate is for
    /// emergencies, and what is broken then may be the registry's files.
    /// - Parameter releases: of the package on the channel.
    package init(of package: PackageID, _ releases: [Release], in registry: any RegistryReading) async {
        var (with, without, unknown): ([SemanticVersion], [SemanticVersion], [SemanticVersion]) = ([], [], [])
        var fault = ""
        var isAway = false
        for release in releases {
            guard case .version(let version, let digest) = release.offer,
                ![with, without, unknown].joined().contains(version)
            else { continue }
            do {
                // A storage that does not answer is asked once, and not once for each version.
                let bytes =
                    isAway
                    ? nil
                    : try await registry.viewFile(
                        .manifest(package, version, digest), maximumByteCount: Manifest.maximumByteCount)
                if let bytes {
                    do {
                        if try Manifest(parsing: bytes).origins.isEmpty {
                            without.append(version)
                        } else {
                            with.append(version)
                        }
                        continue
                    } catch { if unknown.isEmpty { fault = "is damaged: \(error)" } }
                } else if unknown.isEmpty {
                    fault = "is missing"
                }
            } catch {
                isAway = true
                if unknown.isEmpty { fault = "cannot be read" + ((error as? RegistryError).map { ": \($0)" } ?? "") }
            }
            unknown.append(version)
        }
        self.package = package
        (versionsWithOrigins, versionsWithoutOrigins, unknownVersions) = (with, without, unknown)
        isEmbeddedOffered = releases.contains { $0.offer == .embedded }
        self.fault = fault
    }

    /// Whether all devices load the pages online, as far as the channel's offers tell.
    package var areOnline: Bool { isKnown && versionsWithoutOrigins.isEmpty }

    private var isKnown: Bool {
        unknownVersions.isEmpty && !isEmbeddedOffered && !(versionsWithOrigins + versionsWithoutOrigins).isEmpty
    }

    /// What devices do while the gate is off, such as `devices load its pages online`.
    package var text: String {
        guard isKnown else { return parts.joined(separator: "; ") }
        guard let why else { return "devices load its pages online" }
        return versionsWithOrigins.isEmpty
            ? "devices show an error page in place of its pages, because \(why)"
            : "devices load its pages online, except those with \(names(versionsWithoutOrigins)), which show an error page, "
                + "because \(why)"
    }

    /// Such as `shop 1.4.0 lists no origins`; nil if all versions that could be read list some.
    package var why: String? {
        guard !versionsWithoutOrigins.isEmpty else { return nil }
        return "\(names(versionsWithoutOrigins)) \(versionsWithoutOrigins.count == 1 ? "lists" : "list") no origins"
    }

    /// What each group of devices does, because it is not known of all of them.
    private var parts: [String] {
        var parts: [String] = []
        if !versionsWithOrigins.isEmpty {
            parts.append("devices with \(names(versionsWithOrigins)) load its pages online")
        }
        if let why {
            parts.append("devices with \(names(versionsWithoutOrigins)) show an error page, because \(why)")
        }
        if isEmbeddedOffered {
            parts.append(
                "devices with what the app embeds load its pages online if that lists origins, and show an error page if not"
            )
        }
        if let first = unknownVersions.first {
            parts.append(
                "what devices with \(names(unknownVersions)) show is not known, because the manifest of \(names([first])) \(fault)"
            )
        }
        return parts.isEmpty
            ? ["devices load its pages online if their version lists origins, and show an error page if not"] : parts
    }

    private func names(_ versions: [SemanticVersion]) -> String {
        var shown = versions.prefix(5).map(\.description)
        if versions.count > 5 { shown.append("\(versions.count - 5) more") }
        let last = shown.popLast() ?? ""
        return "\(package) " + (shown.isEmpty ? last : "\(shown.joined(separator: ", ")) and \(last)")
    }
}
