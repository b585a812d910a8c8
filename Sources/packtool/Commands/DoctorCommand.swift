import ArgumentParser
import Foundation
import PackBuilder
import PackDoctor
import PackJSON
import PackPublisher
import PackRegistryAPI
import PackRegistryLocal

/// `packtool doctor`: looks for what is wrong, or will be.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what is wrong with a project, a server or an app, and say how to mend it.",
        discussion: HelpText.flowing(
            """
            Without options: the project of this folder (root of trust, keys, git) and its
            registry (signatures, delegations, and for a URL the access token, TLS, caches
            in front). --server looks at another server, --app at the folder of an app.
            docs/DOCTOR.md explains each code. Nothing is changed anywhere.

            Exit code: 0 without errors, else 1; with --strict 1 for warnings too.
            """))

    @Option(help: ArgumentHelp("A registry's base URL.", valueName: "URL"))
    var server: String?

    @Option(help: ArgumentHelp("The folder of an app.", valueName: "DIR"))
    var app: String?

    @Flag(help: "Let warnings fail the command, too.")
    var strict = false

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try registry.authorities.trust()
        let report = DoctorReport(try await findings())
        options.console.result(report.text, json: .object(report.json))
        if report.count(.error) > 0 || strict && report.count(.warning) > 0 { throw ExitCode.failed }
    }

    private func findings() async throws -> [DoctorFinding] {
        if let server {
            guard case .server(let url) = try RegistryLocation(server, relativeTo: URL.currentDirectory())
            else {
                throw ValidationError("--server is a URL such as https://packages.example.com")
            }
            return await ServerDoctor(url).examine()
        }
        let project: CurrentProject
        do { project = try CurrentProject() } catch {
            return [
                .error(
                    .configuration, "packtool.json", "\(error)",
                    fix: "correct it; packtool init --template config shows a valid one")
            ]
        }
        if let app { return appFindings(app, project) }
        return try await projectFindings(project)
    }

    private func appFindings(_ app: String, _ project: CurrentProject) -> [DoctorFinding] {
        let root = FileManager.default.contents(atPath: project.folder.root.path(percentEncoded: false)).map(Array.init)
        let addresses = ([project.registry] + (project.configuration?.origins ?? [])).compactMap { text in
            URL(string: text).flatMap { $0.host() == nil ? nil : $0 }
        }
        return AppDoctor(
            URL(filePath: app, directoryHint: .isDirectory).standardizedFileURL.absoluteURL, projectRoot: root,
            addresses: addresses, now: Date()
        ).examine()
    }

    private func projectFindings(_ project: CurrentProject) async throws -> [DoctorFinding] {
        let environment = ProcessInfo.processInfo.environment
        var findings: [DoctorFinding] = [
            project.configuration?.file.map { .ok(.configuration, $0.lastPathComponent, "it can be read") }
                ?? .warning(
                    .configuration, "packtool.json", "there is none at or above this folder",
                    fix: "packtool init --template config writes one")
        ]
        findings += ProjectDoctor(project.folder, environment: environment, now: Date()).examine()
        let location = try registry.location(of: project)
        let place = "\(location)"
        let token = try registry.token()
        let opened: any Registry
        switch location {
        case .folder, .database:
            do {
                guard let local = try await RegistryPlace(location)?.open() else { return findings }
                opened = local.registry(as: .local(user: NSUserName()))
            } catch {
                return findings + [
                    .error(.registry, place, "\(error)", fix: "run packtool init, or name the registry with --registry")
                ]
            }
        case .server(let url):
            let found = await ServerDoctor(url).examine()
            findings += found
            // No registry answers there: whatever else is asked would say the same once more.
            guard !found.contains(where: { $0.level == .error && [.registry, .tls].contains($0.code) }) else {
                return findings
            }
            // What is away now is what a doctor is to say.
            var retry = RetryPolicy()
            retry.patience = .zero
            let remote = try RemoteRegistry(url.absoluteString, token: token, retry: retry)
            findings += await TokenDoctor(remote, isGiven: token != nil, now: Date()).examine()
            // A token that is not valid is told already; reading needs none.
            opened = try RemoteRegistry(url.absoluteString, token: nil, retry: retry)
        }
        return findings
            + (await RegistryDoctor(opened, project.folder, environment: environment, name: place, now: Date())
                .examine())
    }
}
