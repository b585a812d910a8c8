import ArgumentParser
import Foundation
import PackJSON
import PackPublisher
import PackRegistryLocal
import PackTrust

/// `packtool keys propose`.
struct KeysProposeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "propose", abstract: "Write a change of keys to a file, for several people to sign.",
        discussion: HelpText.flowing(
            """
            root and owner change who signs root and targets, and how many must; without
            --add, --remove and --threshold the document only lives longer. targets lets
            the present document live longer. online makes a new online key in the
            registry's folder and writes two files: --out, and the same with -targets.

            Each person runs packtool keys sign FILE; when packtool keys verify FILE says
            that enough have signed, one of them runs packtool keys submit FILE.
            """))

    enum Name: String, ExpressibleByArgument, CaseIterable {
        case root, owner, targets, online
    }

    @Argument(help: "root, owner, targets or online.")
    var name: Name

    @Option(
        help: ArgumentHelp("A public key to add, as packtool keys generate prints it, or a PEM file.", valueName: "KEY")
    )
    var add: [String] = []

    @Option(help: ArgumentHelp("A key to remove, by its id or its first 8 digits or more.", valueName: "ID"))
    var remove: [String] = []

    @Option(help: ArgumentHelp("How many of the keys must sign from then on.", valueName: "N"))
    var threshold: Int?

    @Option(help: ArgumentHelp("The file to write.", valueName: "FILE"))
    var out: String

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard remove.allSatisfy({ $0.count >= 8 }) else {
            throw ValidationError("give at least 8 digits of a key's id")
        }
        let changes = !add.isEmpty || !remove.isEmpty || threshold != nil
        guard !changes || name == .root || name == .owner else {
            throw ValidationError("--add, --remove and --threshold are for root and owner")
        }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let maintenance = try await session.maintenance(console: options.console)
        let proposals: [KeyProposal]
        switch name {
        case .root, .owner:
            proposals = [
                try await maintenance.proposeRoot(
                    name == .root ? .root : .targets, adding: add.map { try KeyText.parse($0) }, removing: remove,
                    threshold: threshold)
            ]
        case .targets: proposals = [try await maintenance.proposeTargets()]
        case .online:
            guard let local = session.local else {
                throw CommandFailure(
                    "the online key is in the registry's folder: run this on that machine, with --registry DIR")
            }
            proposals = try await maintenance.proposeOnline(of: local)
        }
        var written: [String] = []
        for proposal in proposals {
            let file = written.isEmpty ? out : Self.second(out)
            try ProposalFile.write(proposal, to: file)
            written.append(file)
        }
        options.console.result(
            written.joined(separator: "\n"), json: .object(["files": .array(written.map { .string($0) })]))
        options.console.note("nothing has changed yet: sign it (packtool keys sign), then submit it")
    }

    private static func second(_ file: String) -> String {
        let url = URL(fileURLWithPath: file)
        let name = "\(url.deletingPathExtension().lastPathComponent)-targets.\(url.pathExtension)"
        return url.pathExtension.isEmpty
            ? "\(file)-targets"
            : (file as NSString).deletingLastPathComponent.isEmpty
                ? name : "\((file as NSString).deletingLastPathComponent)/\(name)"
    }
}

/// Proposals in files; several copies of one are merged.
enum ProposalFile {
    static func read(_ files: [String]) throws -> KeyProposal {
        var joined: KeyProposal?
        for file in files {
            guard let bytes = FileManager.default.contents(atPath: file) else {
                throw CommandFailure("the file \(file) cannot be read")
            }
            let proposal: KeyProposal
            do { proposal = try KeyProposal(parsing: Array(bytes)) } catch {
                throw CommandFailure("\(file): \(error)")
            }
            joined = try joined?.merging(proposal) ?? proposal
        }
        guard let joined else { throw CommandFailure("give a file that packtool keys propose wrote") }
        return joined
    }

    static func write(_ proposal: KeyProposal, to file: String) throws {
        do {
            let file = URL(fileURLWithPath: file)
            try Data(proposal.bytes).write(to: file, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        } catch {
            throw CommandFailure("\(file) cannot be written: \(error.localizedDescription)")
        }
    }
}
