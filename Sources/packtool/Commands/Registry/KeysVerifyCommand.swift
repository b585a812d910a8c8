import ArgumentParser
import PackJSON
import PackPublisher
import PackTrust

/// `packtool keys verify`.
struct KeysVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Say what a proposal changes and who has signed it.",
        discussion: "Exit code 2 while signatures are missing. Several copies of one proposal are joined.")

    @Argument(help: "The proposal, or several copies of it.")
    var file: [String]

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let proposal = try ProposalFile.read(file)
        let session = try await RegistrySession(registry, console: options.console)
        let maintenance = try await session.maintenance(console: options.console)
        let (root, targets) = try await maintenance.current()
        let standing = proposal.standing(under: root, targets)
        var lines = ["\(proposal.role.rawValue) version \(proposal.version)"]
        if !standing.isNext { lines.append("it is not the next version: somebody else's change came first") }
        lines += changes(proposal, root, targets)
        lines += standing.needs.map { need in
            let open = need.open.map { $0.prefix(16) }.joined(separator: ", ")
            return "signed by \(need.valid) of \(need.whose), \(need.needed) needed"
                + (need.valid < need.needed && !open.isEmpty ? "; still open: \(open)" : "")
        }
        options.console.result(
            lines.joined(separator: "\n"),
            json: .object([
                "role": .string(proposal.role.rawValue), "version": .integer(proposal.version),
                "complete": .bool(standing.isComplete), "next": .bool(standing.isNext),
                "needs": .array(
                    standing.needs.map { need in
                        .object([
                            "whose": .string(need.whose), "valid": .integer(need.valid),
                            "needed": .integer(need.needed), "open": .array(need.open.map { .string($0) }),
                        ])
                    }),
            ]))
        if !standing.isComplete { throw ExitCode.nothingToDo }
    }

    private func changes(
        _ proposal: KeyProposal, _ root: SignedDocument<RootMetadata>, _ targets: SignedDocument<TargetsMetadata>
    ) -> [String] {
        switch proposal {
        case .root(let document):
            return TopLevelRole.allCases.flatMap { role in
                difference(
                    role.rawValue, root.body.authority(for: role), document.body.authority(for: role))
            }
        case .targets(let document):
            let names = (targets.body.delegations?.roles ?? []).map(\.name)
            let newNames = (document.body.delegations?.roles ?? []).map(\.name)
            return (names + newNames.filter { !names.contains($0) }).flatMap { name in
                difference(name, targets.body.authority(for: name), document.body.authority(for: name))
                    + newest(name, targets.body.delegations, document.body.delegations)
            }
        }
    }

    private func newest(_ role: String, _ old: Delegations?, _ new: Delegations?) -> [String] {
        let minimum = new?.role(named: role)?.minimumVersion
        guard let minimum, minimum != old?.role(named: role)?.minimumVersion else { return [] }
        return ["  \(role): only version \(minimum) and later ones count"]
    }

    private func difference(_ role: String, _ old: RoleAuthority?, _ new: RoleAuthority?) -> [String] {
        let (before, after) = (old?.keys.values ?? [], new?.keys.values ?? [])
        var lines = after.filter { key in !before.contains { $0.id == key.id } }.map {
            "  \(role): + \($0.id.prefix(16))"
        }
        lines += before.filter { key in !after.contains { $0.id == key.id } }.map { "  \(role): - \($0.id.prefix(16))" }
        if let old, let new, old.threshold != new.threshold {
            lines.append("  \(role): needs \(new.threshold) of \(after.count), so far \(old.threshold)")
        }
        return lines
    }
}
