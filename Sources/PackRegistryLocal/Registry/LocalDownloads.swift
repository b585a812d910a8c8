import PackFormat
import PackRegistry

/// The downloads of a registry folder: files beside its view's, built here or in a child process.
struct LocalDownloads: DownloadBuilder {
    let local: LocalRegistry

    func buildQuickDownload(ofManifest digest: Digest) async throws {
        try await BlockingWork.run { [self] in
            do {
                try local.artifacts.makeQuickDownload(of: digest)
            } catch  where local.makers.isStopped {
                // The version is published; the next server makes its downloads.
            }
        }
    }

    func wake() { local.signal.raise() }
}
