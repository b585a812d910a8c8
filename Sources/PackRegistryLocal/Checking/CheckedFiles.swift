import Foundation
import PackArchive
import PackFormat
import PackRegistry
import PackSystem

/// The files of a registry as a check reads and mends them, past all copies.
protocol CheckedFiles: Sendable {
    /// nil where there is no such file.
    func bytes(of path: ViewPath) async throws -> [UInt8]?

    /// nil for an object whose bytes have its digest.
    func fault(of object: Digest) async throws -> RegistryCheck.Fault.Kind?

    /// Writes documents, whether they are there or not, so that a reader meanwhile finds the old bytes or the right ones.
    func replace(_ documents: [ViewFile]) async throws

    /// Takes objects from a package zip, if it is there and sound.
    /// - Returns: those that it had.
    func take(_ objects: Set<Object>, from zip: ViewPath) async throws -> [Object]
}

/// Files in the registry's folder.
struct FolderFiles: CheckedFiles {
    let folder: RegistryFolder

    func bytes(of path: ViewPath) async throws -> [UInt8]? {
        FileManager.default.contents(atPath: folder.view(path).path(percentEncoded: false)).map { [UInt8]($0) }
    }

    func fault(of object: Digest) async throws -> RegistryCheck.Fault.Kind? {
        let store = ObjectStore(folder: folder)
        return try await BlockingWork.run {
            if store.isSound(object) { return nil }
            return SystemCall.size(of: store.file(of: object)) == nil ? .missing : .damaged
        }
    }

    func replace(_ documents: [ViewFile]) async throws {
        var files: [(bytes: [UInt8], destination: URL)] = []
        for file in documents { files.append((try await file.bytes(), folder.view(file.path))) }
        let written = files
        try await BlockingWork.run { try Workspace(in: folder).put(written) }
    }

    func take(_ objects: Set<Object>, from zip: ViewPath) async throws -> [Object] {
        try await BlockingWork.run {
            guard let archive = try? PackageArchive.open(folder.view(zip)) else { return [] }
            let workspace = try Workspace(in: folder)
            let taken = try archive.extract(objects, into: workspace.folder)
            try ObjectStore(folder: folder).take(taken, from: workspace)
            return taken
        }
    }
}

/// Files in remote storage.
struct StoredFiles: CheckedFiles {
    let mirror: ViewMirror

    private var view: any RemoteViewStore { mirror.storage.view }

    func bytes(of path: ViewPath) async throws -> [UInt8]? { try await view.read(path, maximumByteCount: .max) }

    func fault(of object: Digest) async throws -> RegistryCheck.Fault.Kind? {
        try await withScratch { scratch in
            let file = scratch.appending(path: "object", directoryHint: .notDirectory)
            guard try await view.copy(.view(.object(object)), to: file) else { return .missing }
            return try await BlockingWork.run {
                try Digest(of: Data(contentsOf: file, options: .alwaysMapped)) == object ? nil : .damaged
            }
        }
    }

    func replace(_ documents: [ViewFile]) async throws {
        try await withScratch { scratch in
            for document in documents {
                let bytes = try await document.bytes()
                let file = scratch.appending(path: UUID().uuidString, directoryHint: .notDirectory)
                try await BlockingWork.run { try Data(bytes).write(to: file) }
                try await put(document.path, file, size: bytes.count, Digest(of: bytes))
            }
        }
    }

    func take(_ objects: Set<Object>, from zip: ViewPath) async throws -> [Object] {
        try await withScratch { scratch in
            let file = scratch.appending(path: "zip", directoryHint: .notDirectory)
            guard try await view.copy(.view(zip), to: file) else { return [] }
            let taken: [Object] = try await BlockingWork.run {
                guard let archive = try? PackageArchive.open(file) else { return [] }
                return try archive.extract(objects, into: scratch)
            }
            for object in taken {
                let file = scratch.appending(path: object.digest.hex, directoryHint: .notDirectory)
                try await put(.object(object.digest), file, size: object.size, object.digest)
            }
            return taken
        }
    }

    private func put(_ path: ViewPath, _ file: URL, size: Int, _ digest: Digest) async throws {
        try await view.put(.view(path), file: file, size: size, digest: digest)
        mirror.dropCopy(of: .view(path))
    }

    private func withScratch<Value: Sendable>(_ body: (URL) async throws -> Value) async throws -> Value {
        let name = ViewMirror.scratchPrefix + UUID().uuidString
        let scratch = mirror.folder.uploads.appending(path: name, directoryHint: .isDirectory)
        try SystemCall.makeFolders(scratch, isDurable: false)
        defer { try? FileManager.default.removeItem(at: scratch) }
        return try await body(scratch)
    }
}

extension PackageArchive {
    /// Writes objects to a folder, each under its digest.
    /// - Returns: those that the archive has.
    fileprivate func extract(_ objects: Set<Object>, into folder: URL) throws -> [Object] {
        var taken: [Object] = []
        try extractObjects { object in
            guard objects.contains(object) else { return nil }
            taken.append(object)
            return try ObjectFile(folder.appending(path: object.digest.hex, directoryHint: .notDirectory))
        }
        return taken
    }
}
