import ArgumentParser
import Foundation
import PackRegistryAPI

/// Jobs of a CI system by the names that people have for them, as claims of its id tokens.
///
/// Sources: "OpenID Connect reference" of GitHub Actions, "ID token authentication" of GitLab CI/CD.
struct TrustedJobs {
    /// `github`, `gitlab`, or a URL.
    let issuer: String
    let repository: String?
    let workflow: String?
    let environment: String?
    let ref: String?
    /// Other claims, by their own names.
    let others: [String: String]
    /// Jobs of every branch are meant, and in every environment.
    let isForAnyRef: Bool

    var issuerURL: String {
        switch issuer {
        case "github": PublicIssuer.github.rawValue
        case "gitlab": PublicIssuer.gitlab.rawValue
        default: issuer
        }
    }

    /// How the audit log names them.
    var name: String { [issuer, repository].compactMap(\.self).joined(separator: " ") }

    func claims() throws -> [String: String] {
        if let ref, !ref.hasPrefix("refs/") {
            throw ValidationError("--ref is a whole name, such as refs/heads/\(ref) or refs/tags/\(ref)")
        }
        let named: [String: String]
        switch issuer {
        case "github": named = try github()
        case "gitlab": named = try gitlab()
        default:
            guard repository == nil, workflow == nil, environment == nil, ref == nil else {
                throw ValidationError(
                    "--repository, --workflow, --environment and --ref are for github and gitlab; name the claims of "
                        + "\(issuer) with --claim NAME=TEXT")
            }
            named = [:]
        }
        let claims = named.merging(others) { $1 }
        try checkRef(claims)
        return claims
    }

    /// A workflow is a file of a branch: whoever can push any branch can change it there, and publish.
    private func checkRef(_ claims: [String: String]) throws {
        guard PublicIssuer(rawValue: issuerURL) != nil else {
            guard !isForAnyRef else {
                throw ValidationError("--any-ref is for github and gitlab; of \(issuer) only the named claims count")
            }
            return
        }
        guard TokenTrust.pinsRef(claims) != isForAnyRef else {
            throw ValidationError(
                isForAnyRef
                    ? "--any-ref contradicts the branch, tag or environment that is named: leave one of them out"
                    : "name the branch or tag with --ref, such as --ref refs/heads/main or --ref 'refs/tags/v*', or an "
                        + "environment with --environment: else whoever can push a branch can publish. --any-ref trusts all "
                        + "branches all the same")
        }
    }

    private func github() throws -> [String: String] {
        guard let repository, repository.split(separator: "/").count == 2, let workflow else {
            throw ValidationError(
                "github needs --repository OWNER/NAME and --workflow FILE: else every workflow of it could publish")
        }
        let file = workflow.contains("/") ? workflow : ".github/workflows/\(workflow)"
        var claims = ["repository": repository, "workflow_ref": "\(repository)/\(file)@\(ref ?? "*")"]
        claims["environment"] = environment
        claims["ref"] = ref
        return claims
    }

    private func gitlab() throws -> [String: String] {
        guard let repository, repository.contains("/") else {
            throw ValidationError("gitlab needs --repository GROUP/PROJECT: else every project could publish")
        }
        var claims = ["project_path": repository]
        claims["ci_config_ref_uri"] = workflow.map { "gitlab.com/\(repository)//\($0)@\(ref ?? "*")" }
        claims["environment"] = environment
        claims["ref_path"] = ref
        return claims
    }
}
