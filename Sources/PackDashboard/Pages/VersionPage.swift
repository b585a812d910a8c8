import PackFormat
import PackRegistryAPI

/// A version, and what changed since the one before.
struct VersionPage {
    private static let maximumRowCount = 100

    let package: PackageID
    let version: RegistryOverview.Version
    let manifest: Manifest?
    let before: (version: SemanticVersion, manifest: Manifest)?
    let viewer: DashboardViewer

    var page: DashboardPage {
        DashboardPage(
            "\(package) \(version.version)", crumbs: [("Packages", .home), (package.text, .package(package, page: 1))]
        ) {
            facts
            changes
            if version.withdrawn == nil {
                tag("section", .labelledBy("actions")) {
                    tag("h2", .id("actions")) { "Change" }
                    tag("ul", .class("actions")) {
                        tag("li") {
                            tag("a", .class("button"), .href(.verb(.withdraw(package, version.version)))) {
                                "Withdraw \(version.version)"
                            }
                        }
                    }
                }
            }
        }
    }

    private var facts: HTML {
        tag("section", .labelledBy("facts")) {
            tag("h2", .id("facts")) { "Facts" }
            if let reason = version.withdrawn {
                tag("p", .class("notice bad")) {
                    "Withdrawn: "
                    foreign(reason)
                }
            }
            if let pruned = version.pruned {
                tag("p", .class("notice")) {
                    "Its files were removed on \(Words.date(pruned)) to save space. To offer it, publish the same package again."
                }
            }
            tag("dl") {
                fact("Published") {
                    "\(Words.date(version.published)) by "
                    foreign(version.publishedBy)
                }
                if let text = version.note.text { fact("Note") { foreign(text) } }
                if let commit = version.note.commit { fact("Commit") { tag("code") { foreign(commit) } } }
                fact("Files") { "\(Words.count(version.fileCount)), \(Words.bytes(version.size))" }
                fact("Full download") { version.fullSize.map { Words.bytes($0) } ?? "not made yet" }
                fact("Zip") { version.archiveSize.map { Words.bytes($0) } ?? "not made yet" }
                if let app = manifest?.requiredApp { fact("App versions") { foreign("\(app)") } }
                fact("Manifest") { tag("code") { version.manifest.hex } }
            }
        }
    }

    private func fact(_ name: String, @HTMLBuilder _ value: () -> [HTML]) -> [HTML] {
        [tag("dt") { name }, tag("dd") { value() }]
    }

    private var changes: HTML {
        tag("section", .labelledBy("changes")) {
            tag("h2", .id("changes")) { "What changed" }
            if let manifest, let before {
                let changes = FileChange.all(from: before.manifest, to: manifest)
                tag("p") { "Since \(before.version): \(summary(changes))." }
                table(changes).html
                if changes.count > Self.maximumRowCount {
                    tag("p", .class("quiet")) {
                        "The \(Self.maximumRowCount) largest of \(Words.count(changes.count)) changes."
                    }
                }
            } else {
                tag("p", .class("quiet")) { "There is no earlier version to compare with." }
            }
        }
    }

    private func summary(_ changes: [FileChange]) -> String {
        func count(_ kind: FileChange.Kind) -> Int { changes.count { $0.kind == kind } }
        let sum = changes.reduce(0) { $0 + $1.newSize - $1.oldSize }
        return "\(Words.count(count(.added), "file")) added, \(Words.count(count(.changed))) changed, "
            + "\(Words.count(count(.removed))) removed; \(Words.change(sum)) in all"
    }

    private func table(_ changes: [FileChange]) -> Table {
        var table = Table(
            "Changed files, the largest change first",
            [.text("File"), .text("What"), .number("Size"), .number("Change")])
        table.empty = "The files are the same."
        for change in changes.prefix(Self.maximumRowCount) {
            table.add(
                cell(foreign: change.path.text), cell(change.kind.rawValue), cell(Words.bytes(change.newSize)),
                cell(Words.change(change.newSize - change.oldSize)))
        }
        return table
    }
}

/// A file that two versions do not have alike.
struct FileChange {
    enum Kind: String {
        case added, changed, removed
    }

    let path: PackagePath
    let kind: Kind
    let oldSize: Int
    let newSize: Int

    /// The largest change first.
    static func all(from old: Manifest, to new: Manifest) -> [FileChange] {
        var changes: [FileChange] = []
        for (path, file) in new.files {
            guard let earlier = old.files[path] else {
                changes.append(FileChange(path: path, kind: .added, oldSize: 0, newSize: file.size))
                continue
            }
            guard earlier.digest != file.digest else { continue }
            changes.append(FileChange(path: path, kind: .changed, oldSize: earlier.size, newSize: file.size))
        }
        for (path, file) in old.files where new.files[path] == nil {
            changes.append(FileChange(path: path, kind: .removed, oldSize: file.size, newSize: 0))
        }
        return changes.sorted {
            (max($1.oldSize, $1.newSize), $0.path) < (max($0.oldSize, $0.newSize), $1.path)
        }
    }
}
