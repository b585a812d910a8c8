import ArgumentParser

/// Recognises misspelt commands, before the parser only says that something is unexpected.
enum CommandMistake {
    /// - Returns: what to say; nil if the command is there, or none is named.
    static func message(for arguments: [String], root: any ParsableCommand.Type) -> String? {
        var command = root
        var path = ["packtool"]
        for (index, argument) in arguments.enumerated() {
            if argument == "--" || argument == "--experimental-dump-help" { return nil }
            if index > 0, argument == "--version" || argument.hasPrefix("--version=") {
                // The parser would print the program's own version and end well, and nothing would be done.
                return version(for: path)
            }
            guard !argument.hasPrefix("-"), !command.configuration.subcommands.isEmpty else { continue }
            let commands = command.configuration.subcommands
            if let next = commands.first(where: { $0.configuration.commandName == argument }) {
                command = next
                path.append(argument)
                continue
            }
            // `packtool rollout shop` names a package.
            guard argument != "help", index == path.count - 1, command.configuration.defaultSubcommand == nil else {
                return nil
            }
            var names: [String] = []
            for command in commands {
                if let name = command.configuration.commandName { names.append(name) }
            }
            return unknown(argument, of: path, names)
        }
        return nil
    }

    private static func version(for path: [String]) -> String {
        let own = "--version says which packtool this is, and stands alone: packtool --version."
        return switch path.last {
        case "build": "\(own) The package's version is --package-version VERSION"
        default:
            "\(own) A version of a package is PACKAGE@VERSION, or an option that packtool \(path.dropFirst().joined(separator: " ")) --help names"
        }
    }

    private static func unknown(_ word: String, of path: [String], _ names: [String]) -> String {
        let place = path.joined(separator: " ")
        let near = names.map { ($0, distance(word, $0)) }.filter { $0.1 <= max(1, $0.0.count / 3) }.min { $0.1 < $1.1 }
        if let near { return "\(place) has no command \(word): did you mean \(place) \(near.0)?" }
        return "\(place) has no command \(word). There are: \(names.joined(separator: ", ")). Usage: \(place) --help"
    }

    /// How many letters have to be added, removed, changed or swapped with their neighbour.
    private static func distance(_ first: String, _ second: String) -> Int {
        let (a, b) = (Array(first.lowercased()), Array(second.lowercased()))
        var rows = [Array(0...b.count)]
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, rows[i - 1][j - 1] + 1) }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
