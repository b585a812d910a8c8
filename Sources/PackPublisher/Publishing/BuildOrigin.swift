package import Foundation
import PackFormat
import PackJSON
import PackRegistryAPI
import PackTrust

/// Where the packages come from that are published here: what their provenance says.
package struct BuildOrigin: Hashable, Sendable {
    let source: String?
    let commit: String?
    let ref: String?
    let workflow: String?
    let builder: String
    let invocation: String?
    let inputs: [BuildProvenance.Input]

    /// Bytes of a repository's URL.
    private static let maximumSourceLength = 500

    /// The files that say which other packages a web build takes.
    private static let lockFiles = [
        "bun.lock", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock",
    ]

    /// By the variables of the CI system; elsewhere little is known.
    ///
    /// Sources: "Default environment variables" of GitHub Actions, "Predefined CI/CD variables" of GitLab. The builder's id is that
    /// which the two systems' own provenance has.
    /// - Parameters:
    ///   - source: the repository's URL, where no CI system names it.
    ///   - commit: of the sources, where no CI system names it.
    ///   - folder: the project's, in which lock files are looked for.
    /// - Throws: ``RegistryError`` of the kind `.invalid` for a source that is no URL or holds a password.
    package init(
        _ environment: [String: String], source named: String? = nil, commit: String?, folder: URL
    ) throws {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        inputs = try Self.lockFiles.compactMap { name in
            let file = folder.appending(path: name)
            guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return nil }
            return try BuildProvenance.Input(name: name, digest: Digest(of: Data(contentsOf: file)))
        }
        if let server = value("GITHUB_SERVER_URL"), let repository = value("GITHUB_REPOSITORY") {
            source = "git+\(server)/\(repository)"
            self.commit = value("GITHUB_SHA") ?? commit
            ref = value("GITHUB_REF")
            workflow = value("GITHUB_WORKFLOW_REF")
            builder = "https://github.com/actions/runner/\(value("RUNNER_ENVIRONMENT") ?? "self-hosted")"
            invocation = value("GITHUB_RUN_ID").map {
                "\(server)/\(repository)/actions/runs/\($0)/attempts/\(value("GITHUB_RUN_ATTEMPT") ?? "1")"
            }
        } else if let project = value("CI_PROJECT_URL") {
            source = "git+\(project)"
            self.commit = value("CI_COMMIT_SHA") ?? commit
            ref = value("CI_COMMIT_REF_NAME")
            workflow = value("CI_CONFIG_PATH")
            builder = "\(project)/-/runners/\(value("CI_RUNNER_ID") ?? "unknown")"
            invocation = value("CI_JOB_URL")
        } else {
            source = try named.map { try Self.repository($0) }
            self.commit = commit
            ref = nil
            workflow = nil
            builder = "urn:packtool:builder:unknown"
            invocation = nil
        }
    }

    /// Whether a statement of it names the repository and the commit.
    var namesSources: Bool { source?.isEmpty == false && commit?.isEmpty == false }

    /// A repository's URL as in-toto has it (SPDX's download location: `git+https://…`). The statement is for everybody, so it has
    /// no password, and of HTTP no user either, which may be a token.
    private static func repository(_ text: String) throws -> String {
        // As git and Jenkins' GIT_URL name a repository over SSH.
        if let scp = text.wholeMatch(of: /(?<user>[A-Za-z0-9._-]+)@(?<host>[A-Za-z0-9.-]+):(?<path>[^\/\s:@][^\s:@]*)/)
        {
            return "git+ssh://\(scp.user)@\(scp.host)/\(scp.path)"
        }
        let url = URL(string: text)
        let hasSecret = url?.password() != nil || url?.user() != nil && url?.scheme?.hasSuffix("ssh") != true
        guard (1...maximumSourceLength).contains(text.utf8.count), let scheme = url?.scheme,
            url?.host()?.isEmpty == false, !hasSecret
        else {
            // What somebody gave by mistake is not for the job's log.
            let given = text.contains("@") ? "one with a user or a password" : "\"\(text)\""
            throw RegistryError(
                .invalid,
                "a source is a repository's URL without a user and a password, such as https://git.example.com/acme/shop, not \(given)"
            )
        }
        return scheme.hasPrefix("git+") || scheme == "git" ? text : "git+\(text)"
    }

    /// The signed statement about one package.
    func envelope(of sealed: SealedManifest, by signers: [any Signer]) throws -> [UInt8] {
        let provenance = BuildProvenance(
            version: sealed.name, manifest: sealed.digest, source: source, commit: commit, ref: ref, workflow: workflow,
            builder: builder, invocation: invocation, inputs: inputs)
        return try SignedEnvelope(
            JSONValue.object(provenance.json).canonicalBytes, type: BuildProvenance.payloadType, by: signers
        ).bytes
    }
}
