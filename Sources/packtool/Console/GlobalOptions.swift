import ArgumentParser
import Foundation
import PackAuthorities
import PackRegistryPostgres

/// The options of every command.
struct GlobalOptions: ParsableArguments {
    @Flag(help: "Print one JSON document on stdout.")
    var json = false

    @Flag(help: "Print the result and errors only, no messages.")
    var quiet = false

    @Flag(help: "Print more details.")
    var verbose = false

    var console: Console { Console(isJSON: json, isQuiet: quiet) }
}

/// The option for authorities besides the system's, for commands that contact a server.
struct AuthorityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Trust the certificate authorities of this file (PEM) besides the system's (else PACKTOOL_CA).",
            valueName: "FILE"))
    var ca: String?

    /// Call it before the first request.
    /// - Throws: `AuthorityError` for a file that is missing or has no certificate.
    func trust() throws {
        try PrivateAuthorities.trust(ca, environment: ProcessInfo.processInfo.environment)
    }
}

/// The registry of a command: `--registry`, or else `PACKTOOL_REGISTRY`, the configuration, or the folder
/// `.packtool/registry` of the current directory.
struct RegistryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The registry: a folder, a server's URL, or postgres://HOST/DATABASE with --files or --storage.",
            valueName: "DIR|URL"))
    var registry: String?

    @Option(
        help: ArgumentHelp(
            "The folder for the files of a registry in a database (else PACKTOOL_FILES).", valueName: "DIR"))
    var files: String?

    @Option(
        help: ArgumentHelp(
            "The bucket for the files of a registry, s3://BUCKET/PREFIX (else PACKTOOL_STORAGE).", valueName: "URL"))
    var storage: String?

    @Option(help: ArgumentHelp("A file that holds the access token (else PACKTOOL_TOKEN).", valueName: "FILE"))
    var tokenFile: String?

    @OptionGroup var authorities: AuthorityOptions

    /// Where the registry is: ``text(of:)``, with the place of its files.
    func location(of project: CurrentProject) throws -> RegistryLocation {
        let text = try text(of: project)
        let environment = ProcessInfo.processInfo.environment
        var parts = RegistryLocation.Parts(
            files: files, storage: try storage(of: project, text), usualFiles: project.registryFolder)
        guard PostgresAddress.isOne(text) else {
            return try RegistryLocation(text, parts, relativeTo: URL.currentDirectory())
        }
        let isFromEnvironment = registry == nil && environment["PACKTOOL_REGISTRY"] != nil
        if try !isFromEnvironment && PostgresAddress(text).hasSecret {
            throw CommandFailure(
                (registry == nil ? "the configuration's registry" : "--registry")
                    + " has a password in it, which others can read: take it out, and give it in PGPASSWORD, in the file "
                    + "that PGPASSFILE names, or in ~/.pgpass")
        }
        parts.files = files ?? environment["PACKTOOL_FILES"].flatMap { $0.isEmpty ? nil : $0 }
        return try RegistryLocation(text, parts, relativeTo: URL.currentDirectory())
    }

    /// The bucket of the files: the option, else `PACKTOOL_STORAGE`, else the configuration's, which goes with its registry.
    /// - Parameter text: of the registry.
    private func storage(of project: CurrentProject, _ text: String) throws -> String? {
        if let storage { return storage }
        // A server has files of its own, whatever the machine's variables are for.
        guard !RegistryLocation.isServer(text) else { return nil }
        if let variable = ProcessInfo.processInfo.environment["PACKTOOL_STORAGE"] {
            let place = variable.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !place.isEmpty else {
                throw CommandFailure(
                    "PACKTOOL_STORAGE is set and empty: give it the bucket's address, such as s3://BUCKET/PREFIX, or unset it "
                        + "(--storage goes before it)")
            }
            return place
        }
        let isOther = registry != nil || ProcessInfo.processInfo.environment["PACKTOOL_REGISTRY"] != nil
        return isOther ? nil : project.storage
    }

    /// The registry's place: the option, else `PACKTOOL_REGISTRY`, else the configuration's, else the project's own.
    /// - Throws: for a variable that is set to nothing: a CI service does that with one that nobody filled in, and another
    ///   registry than the one meant must not be taken for it.
    private func text(of project: CurrentProject) throws -> String {
        if let registry { return registry }
        guard let variable = ProcessInfo.processInfo.environment["PACKTOOL_REGISTRY"] else { return project.registry }
        let place = variable.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !place.isEmpty else {
            throw CommandFailure(
                "PACKTOOL_REGISTRY is set and empty: give it the registry's URL or folder, or unset it (--registry goes "
                    + "before it)")
        }
        return place
    }

    /// The access token; nil if none is given.
    func token() throws -> String? {
        if let tokenFile {
            guard let text = try? String(contentsOfFile: tokenFile, encoding: .utf8) else {
                throw CommandFailure("the token file \(tokenFile) cannot be read")
            }
            let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !token.isEmpty else { throw CommandFailure("the token file \(tokenFile) is empty") }
            return token
        }
        let text = ProcessInfo.processInfo.environment["PACKTOOL_TOKEN"] ?? ""
        // Secrets are pasted and piped with the line break that ended their line.
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return token.isEmpty ? nil : token
    }
}
