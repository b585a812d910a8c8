import ArgumentParser
import Foundation

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

    var issuerURL: String {
        switch issuer {
        case "github": "https://token.actions.githubusercontent.com"
        case "gitlab": "https://gitlab.com"
        default: issuer
        }
    }

    /// How the audit log names them.
    var name: String { [issuer, repository].compactMap(\.self).joined(separator: " ") }

    func claims() throws -> [String: String] {
        if let ref, !ref.hasPrefix("refs/") {
            throw ValidationError("--ref is a whole name, such as refs/heads/\(ref) or refs/tags/\(ref)")
        }
        switch issuer {
        case "github": return try github()
        case "gitlab": return try gitlab()
        default:
            guard repository == nil, workflow == nil, environment == nil, ref == nil else {
                throw ValidationError(
                    "--repository, --workflow, --environment and --ref are for github and gitlab; name the claims of "
                        + "\(issuer) with --claim NAME=TEXT")
            }
            return [:]
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
        guard let repository, repository.contains("/"), workflow != nil || environment != nil || ref != nil else {
            throw ValidationError(
                "gitlab needs --repository GROUP/PROJECT, and --ref, --environment or --workflow: else every job of it could publish"
            )
        }
        var claims = ["project_path": repository]
        claims["ci_config_ref_uri"] = workflow.map { "gitlab.com/\(repository)//\($0)@\(ref ?? "*")" }
        claims["environment"] = environment
        claims["ref_path"] = ref
        return claims
    }
}
