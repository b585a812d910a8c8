package import PackFormat

/// Builds the downloads of versions: full downloads, patches, zips.
package protocol DownloadBuilder: Sendable {
    /// Builds what devices need to install a version that was just published: its full download, in a hurry.
    func buildQuickDownload(ofManifest digest: Digest) async throws

    /// Tells whoever builds the other downloads that a change may want some.
    func wake()
}
