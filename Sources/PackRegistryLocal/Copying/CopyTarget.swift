import Foundation
import PackFormat
import PackRegistry
import PackSystem

/// The files of a registry at one of its two kinds of places, for copying.
struct CopyTarget: Sendable {
    let folder: RegistryFolder
    let storage: (any RemoteStorage)?

    init(_ folder: RegistryFolder, storage: (any RemoteStorage)?) {
        self.folder = folder
        self.storage = storage
    }

    /// What is there of objects and of files that are made of them.
    func sizes() async throws -> [StoredPath: Int] {
        var sizes: [StoredPath: Int] = [:]
        for start in RegistryCopy.folders {
            if let storage {
                try await storage.view.list(start) { files in
                    for file in files { if let path = file.path { sizes[path] = file.size } }
                }
            } else {
                for (path, size) in try await inFolder(start) { sizes[path] = size }
            }
        }
        return sizes
    }

    private func inFolder(_ start: String) async throws -> [(StoredPath, Int)] {
        try await BlockingWork.run {
            let root = folder.view.appending(path: start, directoryHint: .isDirectory).path(percentEncoded: false)
            guard let names = FileManager.default.enumerator(atPath: root) else { return [] }
            var found: [(StoredPath, Int)] = []
            while let name = names.nextObject() as? String {
                guard let path = StoredPath(start + name), let size = SystemCall.size(ofPath: root + name) else {
                    continue
                }
                found.append((path, size))
            }
            return found
        }
    }

    /// Writes a copy of a file of this machine, which is durable at return.
    func put(_ path: StoredPath, _ file: URL) async throws {
        if let storage {
            return try await storage.view.put(path, file: file)
        }
        try await BlockingWork.run {
            try SystemCall.makeFolders(folder.root)
            let workspace = try Workspace(in: folder)
            let copy = workspace.file("copy")
            try FileManager.default.copyItem(at: file, to: copy)
            try SystemCall.synchronize(copy)
            try workspace.move(copy, to: folder.view(path.description))
        }
    }
}
