import ArgumentParser
import Foundation
import PackBuilder
import PackFormat
import PackJSON

/// `packtool init`: starts a project, or adds CI steps to one.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Start a project: configuration, a starter site, a registry and keys; or add CI steps to one.",
        discussion: HelpText.flowing(
            """
            Templates:
              site            a starter site in dist/, packtool.json, .packignore
              config          packtool.json with its schema, and .packignore, for
                              a project that has a web build already; the default
                              in a folder with a package.json or a web build
              github-actions  .github/workflows/packages.yml
              gitlab-ci       .gitlab-ci.yml
              jenkins         Jenkinsfile
              github-action   .github/actions/packtool/action.yml, for workflows
                              of your own: uses: ./.github/actions/packtool
              gitlab-component  templates/packtool.yml, for a component project
              plan, set, population
                              plan.json for packtool rollout, set.json for packtool
                              release, population.json for packtool simulate, each
                              with its schema for editors
              vite, rollup    rollup-plugin-packtool.mjs: makes the package when
                              the bundle is written, and previews while it watches
              webpack         packtool-webpack-plugin.cjs
              esbuild         esbuild-plugin-packtool.mjs
              nginx           packages.conf: nginx with TLS before packtool serve
              nginx-cdn       packages-cdn.conf: nginx as a CDN's cache
              nginx-bucket    packages-bucket.conf: the same before a bucket
              cloudfront      packages-cloudfront.yml: CloudFront before a bucket
              fastly          packages-fastly.vcl: Fastly before a bucket
              cloudflare      packages-cloudflare-worker.js: Cloudflare before a
                              bucket
              systemd         packtool.service: packtool serve as a service
              prometheus      packtool-alerts.yml: alert rules over GET /metrics
              sign-pkcs11     sign-pkcs11.sh: signs with a key in an HSM; and
                              sign-aws-kms, sign-gcp-kms in a cloud's KMS

            The package is named after package.json or the folder, and dist is where
            the web build writes, as far as its configuration tells.
            Nothing that exists is overwritten. The first two also make a registry
            and signing keys in .packtool/, so that packtool build and packtool
            publish work at once. With --registry they write that registry into
            packtool.json, and make it only if it is a place with none yet: so
            several projects publish to one registry.
            """))

    @Argument(help: ArgumentHelp("The project's folder.", valueName: "DIR"))
    var directory = "."

    @Option(help: ArgumentHelp("What to write; may be given several times.", valueName: "NAME"))
    var template: [Template] = []

    @Option(help: ArgumentHelp("The app that the registry is for (default: the folder's name).", valueName: "ID"))
    var app: String?

    @Option(help: ArgumentHelp("The package's id (default: of package.json, else the folder's name).", valueName: "ID"))
    var package: String?

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let folder = URL(fileURLWithPath: directory).standardizedFileURL
        let values = try ProjectValues(of: folder, id: package.map { try PackageID($0) }, registry)
        let templates = template.isEmpty ? [values.hasWebBuild ? .config : .site] : template
        let start =
            templates.contains(where: \.startsProject)
            ? try ProjectStart(.startingIn(folder), app: app, registry) : nil
        // What cannot be made is said before anything is written.
        let place = try await start?.place()
        let files = templates.flatMap { $0.startsProject ? $0.files.map(values.filling) : $0.files }
        let outcome = try TemplateWriter(folder: folder).write(files)
        let made = if let start, let place { try await start.make(at: place) } else { nil as ProjectStart.Made? }

        options.console.result(text(outcome, made), json: json(folder, outcome, made))
        if start != nil, let note = try configured(folder, values, outcome) { options.console.note(note) }
        if outcome.written.contains(PackConfiguration.fileName) { values.notes.forEach { options.console.note($0) } }
        if outcome.written.isEmpty, made == nil {
            options.console.note("nothing to do: everything is there already")
            throw ExitCode.nothingToDo
        }
        if let start, made == nil {
            options.console.note("\n\(try keys(start))Next: \(next(folder, values))")
        }
        if let made {
            options.console.note(
                """

                The keys in \(path(made.keys, in: folder)) sign packages: keep them secret, and keep a copy.
                Commit \(path(made.root, in: folder)), and embed it in the app: it is what devices trust.
                Next: \(next(folder, values))
                """)
            if let note = try above(folder, made) { options.console.note(note) }
        }
    }

    /// What to say of a project above: one registry has all packages of an app, and a second one is most often not meant.
    private func above(_ folder: URL, _ made: ProjectStart.Made) throws -> String? {
        let parent = folder.deletingLastPathComponent()
        guard let project = try? CurrentProject(at: parent), project.configuration?.file != nil,
            project.registry.contains("://") || FileManager.default.fileExists(atPath: project.registry)
        else { return nil }
        return """
            warning: \(project.home.path(percentEncoded: false)) above is a project too, with the registry \(project.registry). This one has a
            registry and keys of its own, for another app. For one registry: write
            "registry": \(JSONValue.string(project.registry).compactText) into \(PackConfiguration.fileName) here, and remove \(path(made.keys.deletingLastPathComponent(), in: folder)).
            """
    }

    /// What to do if a configuration was there already and names another registry than the command; nil if it names the same.
    private func configured(
        _ folder: URL, _ values: ProjectValues, _ outcome: TemplateWriter.Outcome
    ) throws -> String? {
        let name = PackConfiguration.fileName
        guard let wanted = values.registry, outcome.kept.contains(name) else { return nil }
        let known = try CurrentProject.startingIn(folder).configuration?.registry
        func place(_ text: String) -> String {
            text.contains("://") ? text : URL(filePath: text, relativeTo: folder).standardizedFileURL.path
        }
        guard place(known ?? ".packtool/registry") != place(wanted) else { return nil }
        return """
            \(name) was there already and stays as it is. For packtool publish to go to \(wanted), write
            "registry": \(JSONValue.string(wanted).compactText) into it\(known.map { ", in place of \($0)" } ?? "").
            """
    }

    /// Where the keys are for a registry that was there already, if they are not the project's.
    private func keys(_ start: ProjectStart) throws -> String {
        guard try !start.hasKeys else { return "" }
        // A root that a server sends could be anybody's.
        let root =
            start.hasRoot
            ? ""
            : "\nCopy .packtool/root.json of the project that made it: apps embed it, and devices trust nothing else."
        let token = start.isServer ? "PACKTOOL_TOKEN to a token of the server, and " : ""
        return """
            The registry was made elsewhere, and its keys are there. To publish to it, set \(token)PACKTOOL_KEY to
            the publisher's key: the text or the path of publisher.pem. The first version of a package needs the
            owner's key too, in PACKTOOL_OWNER_KEY.\(root)

            """
    }

    private func next(_ folder: URL, _ values: ProjectValues) -> String {
        let steps = "packtool build \(values.dist) && packtool publish --channel beta"
        guard !FileManager.default.fileExists(atPath: folder.appending(path: values.dist).path) else { return steps }
        return "run your web build, so that there is \(values.dist)/, then \(steps)"
    }

    private func text(_ outcome: TemplateWriter.Outcome, _ made: ProjectStart.Made?) -> String {
        var lines = outcome.written.map { "wrote  \($0)" } + outcome.kept.map { "kept   \($0)" }
        if let made {
            let folder = URL(fileURLWithPath: directory).standardizedFileURL
            lines += [
                "made   \(path(made.registry, in: folder)), of the app \(made.app)",
                "made   \(path(made.keys, in: folder))",
                "made   \(path(made.root, in: folder))",
            ]
        }
        return lines.joined(separator: "\n")
    }

    private func json(_ folder: URL, _ outcome: TemplateWriter.Outcome, _ made: ProjectStart.Made?) -> JSONValue {
        var json: JSONObject = [
            "directory": .string(folder.path),
            "written": .array(outcome.written.map { .string($0) }),
            "kept": .array(outcome.kept.map { .string($0) }),
        ]
        if let made {
            json["app"] = .string(made.app)
            json["registry"] = .string(made.registry.path)
            json["keys"] = .string(made.keys.path)
            json["root"] = .string(made.root.path)
        }
        return .object(json)
    }

    /// A path as people write it: relative where it is below the project.
    private func path(_ url: URL, in folder: URL) -> String {
        let path = url.standardizedFileURL.path
        let prefix = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }
}
