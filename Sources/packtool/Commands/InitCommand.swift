import ArgumentParser
import Foundation
import PackJSON

/// `packtool init`: starts a project, or adds CI steps to one.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Start a project: configuration, a starter site, a registry and keys; or add CI steps to one.",
        discussion: """
            Templates:
              site            a starter site in dist/, packtool.json, .packignore
              config          packtool.json and .packignore, for a project that
                              has a web build already
              github-actions  .github/workflows/packages.yml
              gitlab-ci       .gitlab-ci.yml
              jenkins         Jenkinsfile

            Nothing that exists is overwritten. The first two also make a registry
            and signing keys in .packtool/, so that packtool build and packtool
            publish work at once.
            """)

    @Argument(help: ArgumentHelp("The project's folder.", valueName: "DIR"))
    var directory = "."

    @Option(help: ArgumentHelp("What to write; may be given several times.", valueName: "NAME"))
    var template: [Template] = [.site]

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let folder = URL(fileURLWithPath: directory)
        let outcome = try TemplateWriter(folder: folder).write(template.flatMap(\.files))

        options.console.result(
            text(outcome),
            json: .object([
                "directory": .string(folder.standardizedFileURL.path),
                "written": .array(outcome.written.map { .string($0) }),
                "kept": .array(outcome.kept.map { .string($0) }),
            ]))
        if outcome.written.isEmpty {
            options.console.note("nothing to do: everything is there already")
            throw ExitCode.nothingToDo
        }
    }

    private func text(_ outcome: TemplateWriter.Outcome) -> String {
        (outcome.written.map { "wrote  \($0)" } + outcome.kept.map { "kept   \($0)" }).joined(separator: "\n")
    }
}
