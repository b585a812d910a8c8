import Foundation

/// The command line, parsed once: options first, then the subcommand.
struct ClientArguments {
    enum Command {
        case initialize(rootFile: URL)
        case refresh(metadata: HTTPAddress)
        case download(metadata: HTTPAddress, targets: HTTPAddress, names: [String], folder: URL)
    }

    struct Fault: Error, CustomStringConvertible {
        let reason: String
        var description: String { "\(reason)\n\(ClientArguments.usage)" }
    }

    static let usage = """
        usage: tuf-client --metadata-dir D init TRUSTED_ROOT
               tuf-client --metadata-url U --metadata-dir D refresh
               tuf-client --metadata-url U --metadata-dir D --target-name P [--target-name P …] \
        --target-dir T --target-base-url B download
        """

    let metadataFolder: URL
    let command: Command

    init(_ arguments: [String]) throws {
        var options: [String: [String]] = [:]
        var rest = arguments[...]
        let known = ["--metadata-dir", "--metadata-url", "--target-name", "--target-dir", "--target-base-url"]
        while let first = rest.first, first.hasPrefix("-") {
            rest = rest.dropFirst()
            let parts = first.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let name = parts.first, known.contains(name) else {
                throw Fault(reason: "\(first) is not an option")
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                throw Fault(reason: "\(name) needs a value")
            }
            options[name, default: []].append(value)
        }
        func values(_ name: String) throws -> [String] {
            guard let values = options[name] else { throw Fault(reason: "\(name) is missing") }
            return values
        }
        func one(_ name: String) throws -> String {
            let values = try values(name)
            guard values.count == 1, let value = values.first, !value.isEmpty else {
                throw Fault(reason: "\(name) needs one value")
            }
            return value
        }
        metadataFolder = URL(fileURLWithPath: try one("--metadata-dir"), isDirectory: true)
        let operands = rest.dropFirst()
        switch rest.first {
        case "init":
            guard operands.count == 1, let root = operands.first else {
                throw Fault(reason: "init needs the file of the trusted root")
            }
            command = .initialize(rootFile: URL(fileURLWithPath: root))
        case "refresh" where operands.isEmpty:
            command = .refresh(metadata: try HTTPAddress(try one("--metadata-url")))
        case "download" where operands.isEmpty:
            command = .download(
                metadata: try HTTPAddress(try one("--metadata-url")),
                targets: try HTTPAddress(try one("--target-base-url")), names: try values("--target-name"),
                folder: URL(fileURLWithPath: try one("--target-dir"), isDirectory: true))
        case let other?: throw Fault(reason: "\(([other] + operands).joined(separator: " ")) is not a command")
        case nil: throw Fault(reason: "there is no command")
        }
    }
}
