import Foundation

/// Writes the files of templates into a project and never overwrites anything.
///
///     let outcome = try TemplateWriter(folder: folder).write(Template.site.files)
///     outcome.written   // paths that are new
///     outcome.kept      // paths that were there and stay as they were
struct TemplateWriter {
    struct Outcome {
        var written: [String] = []
        var kept: [String] = []
    }

    let folder: URL

    /// Looks at every destination before the first byte is written, so that a refusal leaves the project as it was.
    func write(_ files: [Template.File]) throws -> Outcome {
        var outcome = Outcome()
        var missing: [Template.File] = []
        try requireFolder(folder.path)
        for file in files {
            try requireFolders(above: file.path)
            if kind(of: destination(file.path)) == nil { missing.append(file) } else { outcome.kept.append(file.path) }
        }
        for file in missing {
            let destination = destination(file.path)
            do {
                try FileManager.default.createDirectory(
                    at: destination.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(file.text.utf8).write(to: destination, options: .withoutOverwriting)
            } catch let error as CocoaError where error.code == .fileWriteFileExists {
                // Another command wrote it a moment ago.
                outcome.kept.append(file.path)
                continue
            } catch {
                throw CommandFailure("\(destination.path) cannot be written: \(describe(error))")
            }
            outcome.written.append(file.path)
        }
        return outcome
    }

    private func destination(_ path: String) -> URL {
        path.split(separator: "/").reduce(folder) { $0.appendingPathComponent(String($1)) }
    }

    /// A link in the way could lead out of the project, and a file in the way cannot hold files.
    private func requireFolders(above path: String) throws {
        var current = folder
        for component in path.split(separator: "/").dropLast() {
            current.appendPathComponent(String(component))
            try requireFolder(current.path, followsLinks: false)
        }
    }

    private func requireFolder(_ path: String, followsLinks: Bool = true) throws {
        let url = followsLinks ? URL(fileURLWithPath: path).resolvingSymlinksInPath() : URL(fileURLWithPath: path)
        guard let kind = kind(of: url), kind != .typeDirectory else { return }
        throw CommandFailure("\(path) is in the way: it is no folder. Move it, or choose another folder.")
    }

    /// What stands at a path, a link itself and not where it leads; nil for nothing.
    private func kind(of url: URL) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.type] as? FileAttributeType
    }

    private func describe(_ error: any Error) -> String {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
        return (cause ?? error).localizedDescription
    }
}
