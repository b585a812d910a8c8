import ArgumentParser

/// The templates of `packtool init --template`.
enum Template: String, CaseIterable, ExpressibleByArgument {
    case site
    case config
    case githubActions = "github-actions"
    case gitlabCI = "gitlab-ci"
    case jenkins
    case nginx
    case nginxCDN = "nginx-cdn"
    case systemd

    /// A file of a template: its path in the project, and what goes in.
    struct File: Equatable {
        let path: String
        let text: String
    }

    /// The files in the order of their paths.
    var files: [File] {
        switch self {
        case .site: Self.folder("site/")
        case .config: Self.folder("config/")
        case .githubActions: Self.file("ci/github-actions.yml", at: ".github/workflows/packages.yml")
        case .gitlabCI: Self.file("ci/gitlab-ci.yml", at: ".gitlab-ci.yml")
        case .jenkins: Self.file("ci/Jenkinsfile", at: "Jenkinsfile")
        case .nginx: Self.file("server/nginx.conf", at: "packages.conf")
        case .nginxCDN: Self.file("server/nginx-cdn.conf", at: "packages-cdn.conf")
        case .systemd: Self.file("server/packtool.service", at: "packtool.service")
        }
    }

    /// Whether the files have places that the project fills in.
    var isFilledIn: Bool { self == .config }

    /// Whether a project with this template needs a registry and keys of its own to start with.
    var startsProject: Bool { self == .site || self == .config }

    private static func folder(_ prefix: String) -> [File] {
        EmbeddedTemplates.files.filter { $0.key.hasPrefix(prefix) }
            .map { File(path: String($0.key.dropFirst(prefix.count)), text: $0.value) }
            .sorted { $0.path < $1.path }
    }

    private static func file(_ name: String, at path: String) -> [File] {
        EmbeddedTemplates.files[name].map { [File(path: path, text: $0)] } ?? []
    }
}
