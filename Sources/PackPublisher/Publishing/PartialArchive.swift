import Foundation
import PackArchive
import PackFormat
import PackRegistryAPI

/// A package for upload: the zip without the files that the registry already has.
struct PartialArchive {
    let archive: PackageArchive
    let keeping: Set<Digest>
    /// For the files on their way from one zip to the other.
    let folder: URL

    init(archive: PackageArchive, keeping: Set<Digest>, folder: URL) {
        self.archive = archive
        self.keeping = keeping
        self.folder = folder
    }

    func write(to zip: URL) throws {
        do {
            try archive.extractObjects { object in
                keeping.contains(object.digest) ? try ObjectFile(file(of: object.digest)) : nil
            }
            var requests = archive.manifest.files.compactMap { path, entry in
                entry.from == nil && keeping.contains(entry.digest)
                    ? ContentRequest(.file(file(of: entry.digest)), path: path) : nil
            }
            requests.append(ContentRequest(.bytes(archive.sealed.bytes), path: try PackagePath(Manifest.fileName)))
            try ArchiveWriter.write(requests, level: .fast, to: zip)
        } catch let error as ArchiveError {
            throw RegistryError(.invalid, "\(error)")
        }
    }

    private func file(of digest: Digest) -> URL { folder.appending(path: digest.hex, directoryHint: .notDirectory) }
}
