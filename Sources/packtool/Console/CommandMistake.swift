import ArgumentParser
import Foundation

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
            for command in commands where command.configuration.shouldDisplay {
                if let name = command.configuration.commandName { names.append(name) }
            }
            return unknown(argument, of: path, names)
        }
        return nil
    }

    /// The parser takes the value of an option that there is not for an argument, and complains of that; or of an option that is
    /// missing, where it is misspelt.
    /// - Returns: what to say, and how the command is used; nil if all options are there.
    static func unknownOption(
        in arguments: [String], root: any ParsableCommand.Type
    ) -> (message: String, usage: String)? {
        var (command, path) = (root, ["packtool"])
        for argument in arguments where !argument.hasPrefix("-") {
            guard
                let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == argument })
            else { break }
            command = next
            path.append(argument)
        }
        if let usual = command.configuration.defaultSubcommand {
            command = usual
            path.append(usual.configuration.commandName ?? "")
        }
        // A line of the help begins with an option's names: "  -h, --help", "  --mandatory/--no-mandatory".
        let help = root.helpMessage(for: command, includeHidden: true, columns: 200)
        let known = help.split(separator: "\n").filter { $0.hasPrefix("  -") }.flatMap { line in
            line.split { " ,/".contains($0) }.prefix { $0.hasPrefix("-") }.map(String.init)
        }
        let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
        for option in given.map({ String($0.prefix { $0 != "=" }) }) where !known.contains(option) {
            let place = path.joined(separator: " ")
            let meant = sameThing[option].flatMap { known.contains($0) ? $0 : nil } ?? NearName.of(option, among: known)
            let message =
                "\(place) has no option \(option)"
                + (meant.map { ": did you mean \($0)?" } ?? ". Those that it has: \(place) --help")
            return (message, "Usage: \(root.usageString(for: command))")
        }
        return nil
    }

    /// What one command calls so, and another so.
    private static let sameThing = ["--percent": "--rollout", "--rollout": "--percent"]

    /// The parser's message, where it can say more: `PACKAGE@VERSION` stands in many messages and is not for every command.
    static func explained(_ message: String) -> String {
        let pattern = /The value '(?<package>[^@']+)@[^']+' is invalid for '<package>'/
        guard let found = message.firstMatch(of: pattern) else { return message }
        let hint = ": this command takes the package alone, \(found.package); a version of it, if any, is an option"
        return message.replacingCharacters(in: found.range, with: found.0 + hint)
    }

    private static func version(for path: [String]) -> String {
        let own = "--version shows the version of packtool, and is given alone: packtool --version."
        return switch path.last {
        case "build": "\(own) The package's version is --package-version VERSION"
        default:
            "\(own) A version of a package is PACKAGE@VERSION, or an option that packtool \(path.dropFirst().joined(separator: " ")) --help names"
        }
    }

    private static func unknown(_ word: String, of path: [String], _ names: [String]) -> String {
        let place = path.joined(separator: " ")
        if let near = NearName.of(word, among: names) {
            return "\(place) has no command \(word): did you mean \(place) \(near)?"
        }
        return "\(place) has no command \(word). There are: \(names.joined(separator: ", ")). Usage: \(place) --help"
    }
}
