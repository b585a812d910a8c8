package import Foundation
import PackKeys
package import PackPublisher
import PackTrust

/// Looks at a project on this machine: its root of trust, its keys, and what git has of it. No network.
package struct ProjectDoctor: Sendable {
    private static let rootWarningDays = 90

    private let project: ProjectFolder
    private let environment: [String: String]
    private let now: Date

    package init(_ project: ProjectFolder, environment: [String: String], now: Date) {
        self.project = project
        self.environment = environment
        self.now = now
    }

    package func examine() -> [DoctorFinding] { root() + keys() + git() }

    // MARK: The root of trust

    private func root() -> [DoctorFinding] {
        let name = shown(project.root)
        guard let data = FileManager.default.contents(atPath: project.root.path(percentEncoded: false)) else {
            return [
                .error(
                    .root, name, "there is no root of trust, so whatever a registry says is believed",
                    fix: "copy root.json from the project's repository, or run packtool init in a new project")
            ]
        }
        do {
            let root = try SignedDocument<RootMetadata>(parsing: Array(data), name: "root").body
            return [
                .ok(.root, name, "version \(root.version)"),
                Expiry(date: root.header.expires, now: now, warningDays: Self.rootWarningDays).finding(
                    .rootExpiry, name,
                    fix:
                        "packtool keys rotate root, then put the registry's newest root (metadata/N.root.json of its view) in the place "
                        + "of this file, and commit it; devices follow by themselves"),
            ]
        } catch {
            return [
                .error(.root, name, "it cannot be read: \(error)", fix: "restore it from the project's repository")
            ]
        }
    }

    // MARK: Keys

    private func keys() -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let keys = KeyFolder(folder: project.keys, environment: environment)
        for name in KeyFolder.Name.allCases {
            do {
                guard let source = try keys.source(name) else { continue }
                if let finding = file(of: source) { findings.append(finding) }
                if name == .publisher { findings.append(publisher(keys, source)) }
            } catch {
                findings.append(
                    .error(
                        name == .publisher ? .publisherKey : .keyFile, "the \(name.rawValue) key", "\(error)",
                        fix: "correct \(name.variable), or remove it to use the key in \(shown(project.keys))"))
            }
        }
        if !findings.contains(where: { $0.code == .publisherKey }) {
            findings.append(
                .warning(
                    .publisherKey, shown(project.keys),
                    "there is no publisher's key here, so nothing can be published from here",
                    fix: "set \(KeyFolder.Name.publisher.variable), or run packtool keys generate publisher"))
        }
        return findings
    }

    private func publisher(_ keys: KeyFolder, _ source: KeySource) -> DoctorFinding {
        do {
            guard let signer = try keys.signer(.publisher) else { throw CocoaError(.fileNoSuchFile) }
            return .ok(.publisherKey, "\(source)", "key \(signer.publicKey.id.prefix(12))")
        } catch {
            return .error(
                .publisherKey, "\(source)", "it cannot be used: \(error)",
                fix:
                    "give its passphrase in \(KeyFolder.passphraseVariable), or another key in \(KeyFolder.Name.publisher.variable)"
            )
        }
    }

    /// Whether others on the machine can read a key's file; nil for a key that is no file.
    private func file(of source: KeySource) -> DoctorFinding? {
        guard case .file(let url) = source else { return nil }
        let path = url.path(percentEncoded: false)
        let mode = (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int ?? 0
        guard mode & 0o077 != 0 else { return .ok(.keyFile, shown(url), "only its owner can read it") }
        return .error(
            .keyFile, shown(url), "others on this machine can read or change it (mode \(String(mode, radix: 8)))",
            fix: "chmod 600 \(path)")
    }

    // MARK: git

    private func git() -> [DoctorFinding] {
        guard let repository = GitRepository(containing: project.folder) else { return [] }
        var findings: [DoctorFinding] = []
        let tracked = repository.tracked(below: project.folder).filter {
            !$0.hasSuffix("root.json") && !$0.hasSuffix(".gitignore")
        }
        if tracked.isEmpty {
            findings.append(.ok(.gitKeys, shown(project.folder), "git has no key of it"))
        } else {
            findings.append(
                .error(
                    .gitKeys, shown(project.folder), "git has \(tracked.prefix(3).joined(separator: ", "))",
                    fix:
                        "git rm --cached them, and rotate every key that was pushed (packtool keys rotate): history keeps it"
                ))
        }
        if repository.isIgnored(project.root) {
            findings.append(
                .error(
                    .gitIgnore, shown(project.root), "git ignores it, so CI and colleagues trust a registry blindly",
                    fix: "add !root.json to \(shown(project.folder))/.gitignore, and commit root.json"))
        } else if !repository.isIgnored(project.keys.appending(path: "publisher.pem")) {
            findings.append(
                .error(
                    .gitIgnore, shown(project.keys), "git does not ignore private keys",
                    fix: "write * and !.gitignore and !root.json into \(shown(project.folder))/.gitignore"))
        } else {
            findings.append(.ok(.gitIgnore, shown(project.folder), "keys are ignored, root.json is not"))
        }
        return findings
    }

    /// A path as people write it: relative to the working folder if it is below it.
    private func shown(_ url: URL) -> String {
        let path = url.path(percentEncoded: false)
        let here = FileManager.default.currentDirectoryPath + "/"
        var text = path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
        while text.count > 1, text.hasSuffix("/") { text.removeLast() }
        return text
    }
}
