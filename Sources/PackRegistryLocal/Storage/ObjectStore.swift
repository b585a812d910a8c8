import Foundation
import PackFormat
import PackRegistryAPI
import PackSystem

/// The objects of a registry: `view/objects/ab/HASH`. A file is complete and durable from the moment it has its name.
struct ObjectStore: Sendable {
    let folder: RegistryFolder

    func file(of digest: Digest) -> URL { folder.view(.object(digest)) }

    func contains(_ object: Object) -> Bool { SystemCall.size(of: file(of: object.digest)) == object.size }

    /// Whether an object is here, with its bytes: it reads all of them.
    func isSound(_ digest: Digest) -> Bool {
        (try? Data(contentsOf: file(of: digest), options: .alwaysMapped)).map { Digest(of: $0) == digest } ?? false
    }

    func missing(among objects: [Object]) -> Set<Digest> {
        Set(objects.lazy.filter { !contains($0) }.map(\.digest))
    }

    /// Puts verified files, named by their digests' hex in a workspace, in place: all of them durable at return, in
    /// few waits for the disk whatever their number.
    func take(_ objects: [Object], from workspace: borrowing Workspace) throws {
        guard !objects.isEmpty else { return }
        let files = objects.map { workspace.file($0.digest.hex) }
        try SystemCall.synchronizeAll(files, under: workspace.folder)
        try SystemCall.makeFolders(folder.objects)
        var folders: Set<URL> = []
        for (object, file) in zip(objects, files) {
            let destination = self.file(of: object.digest)
            let parent = destination.deletingLastPathComponent()
            if folders.insert(parent).inserted { try SystemCall.makeFolder(parent) }
            try SystemCall.rename(file, to: destination)
        }
        try SystemCall.synchronizeAll(Array(folders), under: folder.objects)
        try SystemCall.synchronize(folder.objects)
    }

    /// Makes the names of objects durable that another upload may have put in place a moment ago.
    func synchronizeNames(of objects: [Object]) throws {
        let folders = Set(objects.map { file(of: $0.digest).deletingLastPathComponent() })
        try SystemCall.synchronizeAll(Array(folders), under: folder.objects)
    }
}
