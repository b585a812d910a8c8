import ArgumentParser

/// The templates of `packtool init --template`.
enum Template: String, CaseIterable, ExpressibleByArgument {
    case site
    case config
    case githubActions = "github-actions"
    case gitlabCI = "gitlab-ci"
    case githubAction = "github-action"
    case gitlabComponent = "gitlab-component"
    case jenkins
    case plan
    case set
    case population
    case vite
    case rollup
    case webpack
    case esbuild
    case nginx
    case nginxCDN = "nginx-cdn"
    case nginxBucket = "nginx-bucket"
    case cloudfront
    case fastly
    case cloudflare
    case systemd
    case prometheus
    case signPKCS11 = "sign-pkcs11"
    case signAWSKMS = "sign-aws-kms"
    case signGCPKMS = "sign-gcp-kms"

    /// A file of a template: its path in the project, and what goes in.
    struct File: Equatable {
        let path: String
        let text: String
    }

    /// The files in the order of their paths.
    var files: [File] {
        switch self {
        case .site:
            (Self.folder("site/") + Self.file("config/packtool.schema.json", at: "packtool.schema.json"))
                .sorted { $0.path < $1.path }
        case .config: Self.folder("config/")
        case .githubActions: Self.file("ci/github-actions.yml", at: ".github/workflows/packages.yml")
        case .gitlabCI: Self.file("ci/gitlab-ci.yml", at: ".gitlab-ci.yml")
        case .jenkins: Self.file("ci/Jenkinsfile", at: "Jenkinsfile")
        case .githubAction: Self.file("ci/github-action.yml", at: ".github/actions/packtool/action.yml")
        case .gitlabComponent: Self.file("ci/gitlab-component.yml", at: "templates/packtool.yml")
        case .plan, .set, .population: Self.written(rawValue)
        case .vite, .rollup: Self.bundler("rollup-plugin-packtool.mjs")
        case .webpack: Self.bundler("packtool-webpack-plugin.cjs")
        case .esbuild: Self.bundler("esbuild-plugin-packtool.mjs")
        case .nginx: Self.file("server/nginx.conf", at: "packages.conf")
        case .nginxCDN: Self.file("server/nginx-cdn.conf", at: "packages-cdn.conf")
        case .nginxBucket: Self.file("cdn/nginx-bucket.conf", at: "packages-bucket.conf")
        case .cloudfront: Self.file("cdn/cloudfront.yml", at: "packages-cloudfront.yml")
        case .fastly: Self.file("cdn/fastly.vcl", at: "packages-fastly.vcl")
        case .cloudflare: Self.file("cdn/cloudflare-worker.js", at: "packages-cloudflare-worker.js")
        case .systemd: Self.file("server/packtool.service", at: "packtool.service")
        case .prometheus: Self.file("server/packtool-alerts.yml", at: "packtool-alerts.yml")
        case .signPKCS11: Self.file("signers/pkcs11.sh", at: "sign-pkcs11.sh")
        case .signAWSKMS: Self.file("signers/aws-kms.sh", at: "sign-aws-kms.sh")
        case .signGCPKMS: Self.file("signers/gcp-kms.sh", at: "sign-gcp-kms.sh")
        }
    }

    /// Whether a project starts with it: values of the project are filled in, and there is a registry with keys.
    var startsProject: Bool { self == .site || self == .config }

    private static func folder(_ prefix: String) -> [File] {
        EmbeddedTemplates.files.filter { $0.key.hasPrefix(prefix) }
            .map { File(path: String($0.key.dropFirst(prefix.count)), text: $0.value) }
            .sorted { $0.path < $1.path }
    }

    /// A file that people write, and the schema that its `$schema` names.
    private static func written(_ name: String) -> [File] {
        file("rollout/\(name).json", at: "\(name).json")
            + file("schema/\(name).schema.json", at: "\(name).schema.json")
    }

    private static func bundler(_ name: String) -> [File] { file("bundler/\(name)", at: name) }

    private static func file(_ name: String, at path: String) -> [File] {
        EmbeddedTemplates.files[name].map { [File(path: path, text: $0)] } ?? []
    }
}
