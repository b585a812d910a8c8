import Foundation

/// The commit that a CI job builds, by the variables of the services that set one.
enum SourceCommit {
    /// In the order in which they are looked at. GITHUB_SHA also stands for Gitea and Forgejo.
    private static let variables = [
        "GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "BUILDKITE_COMMIT", "CIRCLE_SHA1", "BITBUCKET_COMMIT",
        "BUILD_SOURCEVERSION", "DRONE_COMMIT_SHA", "TRAVIS_COMMIT", "BUILD_VCS_NUMBER", "CI_COMMIT_ID",
    ]

    /// nil outside of a CI job.
    static func current(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        variables.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
}
