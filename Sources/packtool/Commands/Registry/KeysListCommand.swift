import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackPublisher
import PackTrust

/// `packtool keys list`.
struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the keys of this project, and which keys may sign what.")

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    private struct Role {
        let name: String
        let threshold: Int
        let keys: [PublicKey]
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let maintenance = try await session.maintenance(console: options.console)
        let (root, targets) = try await maintenance.current()
        var roles = [TopLevelRole.root, .targets, .snapshot, .timestamp].map { role in
            Role(name: role.rawValue, threshold: root.body.roleKeys(role).threshold, keys: root.body.keys(of: role))
        }
        for role in targets.body.delegations?.roles ?? [] {
            roles.append(
                Role(
                    name: role.name, threshold: role.roleKeys.threshold,
                    keys: targets.body.authority(for: role.name)?.keys.values ?? []))
        }
        var mine: [(name: String, source: String, id: String)] = []
        for name in KeyFolder.Name.allCases {
            guard let source = try session.keys.source(name) else { continue }
            mine.append((name.rawValue, "\(source)", try session.keys.id(of: name) ?? ""))
        }
        options.console.result(text(mine, roles), json: json(mine, roles))
    }

    private func text(_ mine: [(name: String, source: String, id: String)], _ roles: [Role]) -> String {
        let hand = mine.map { [$0.name, String($0.id.prefix(16)), $0.source] }
        let names = Dictionary(mine.map { ($0.id, $0.name) }) { first, _ in first }
        let rows = roles.map { role in
            let keys = role.keys.map { key in
                String(key.id.prefix(16)) + (names[key.id].map { " (\($0))" } ?? "")
            }
            return [role.name, "\(role.threshold) of \(role.keys.count)", keys.joined(separator: ", ")]
        }
        return
            (TextTable.lines([["OWN KEYS", "ID", "FROM"]] + hand) + [""]
            + TextTable.lines([["ROLE", "NEEDS", "KEYS"]] + rows)).joined(separator: "\n")
    }

    private func json(_ mine: [(name: String, source: String, id: String)], _ roles: [Role]) -> JSONValue {
        .object([
            "keys": .array(
                mine.map { ["name": .string($0.name), "source": .string($0.source), "id": .string($0.id)] }
                    .map { .object($0) }),
            "roles": .array(
                roles.map { role in
                    .object([
                        "role": .string(role.name), "threshold": .integer(role.threshold),
                        "keys": .array(role.keys.map { .object(KeyText.json($0)) }),
                    ])
                }),
        ])
    }
}

/// The project's keys, for commands that need no registry.
struct KeyProject {
    let keys: KeyFolder

    init(_ options: RegistryOptions, console: Console) throws {
        keys = KeyFolder(
            folder: try CurrentProject().folder.keys, environment: ProcessInfo.processInfo.environment,
            notice: { console.interrupt($0) })
    }
}
