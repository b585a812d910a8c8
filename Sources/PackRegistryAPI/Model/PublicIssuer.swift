/// Issuers of id tokens that sign for everybody, so that a trust has to say whose jobs it means.
///
/// Sources: "OpenID Connect reference" of GitHub Actions, "ID token authentication" of GitLab CI/CD.
package enum PublicIssuer: String, CaseIterable, Sendable {
    case github = "https://token.actions.githubusercontent.com"
    case gitlab = "https://gitlab.com"

    /// Claims of which each is one customer's.
    package var identityClaims: [String] {
        switch self {
        case .github: ["repository", "repository_id", "sub"]
        case .gitlab: ["project_path", "project_id", "sub"]
        }
    }
}

extension TokenTrust {
    /// Whether it is for an issuer that signs for everybody, and admits jobs of every branch: whoever can push one can then change the
    /// workflow, and publish.
    package var admitsAnyRef: Bool { PublicIssuer(rawValue: issuer) != nil && !Self.pinsRef(claims) }

    /// Whether claims of GitHub or GitLab say which branches or tags are meant, or an environment, to which the CI system lets only
    /// some jobs deploy.
    package static func pinsRef(_ claims: [String: String]) -> Bool {
        claims.contains { name, value in
            switch name {
            case "environment": true
            // GitLab's `ref` is the short name. Its `ref_protected` and `environment_protected` are about what people protected.
            case "ref", "ref_path": !admitsBranches(value)
            case "ref_protected", "environment_protected": value == "true"
            // FILE@REF. A file's name may hold an @.
            case "workflow_ref", "ci_config_ref_uri":
                part(of: value, after: "@refs/").map { !admitsBranches("refs/" + $0) } ?? false
            // GitHub: repo:OWNER/NAME:environment:NAME and repo:OWNER/NAME:ref:REF; GitLab: project_path:PATH:ref_type:branch:ref:NAME.
            case "sub":
                part(of: value, after: ":environment:").map { !$0.isEmpty && $0 != "*" }
                    ?? part(of: value, after: ":ref:").map { !admitsBranches($0) } ?? false
            default: false
            }
        }
    }

    /// Whether a text with a * at its end admits every branch or every pull request.
    private static func admitsBranches(_ text: String) -> Bool {
        guard text.hasSuffix("*") else { return text.isEmpty }
        return ["refs/heads/", "refs/pull/"].contains { $0.hasPrefix(text.dropLast()) }
    }

    private static func part(of text: String, after mark: String) -> String? {
        guard let found = text.firstRange(of: mark) else { return nil }
        return String(text[found.upperBound...])
    }
}
