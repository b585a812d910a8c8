#if canImport(WebKit)
    import Foundation
    import PackWebOnline
    import WebKit

    /// Saves downloads in one folder. A file replaces no other.
    @MainActor
    final class DownloadReceiver: NSObject, WKDownloadDelegate {
        /// Beyond it nothing is saved under a name.
        private static let maximumCopyCount = 1_000

        var didEnd: (@MainActor (PackageViewEvent) -> Void)?
        private let folder: URL
        private var places: [ObjectIdentifier: URL] = [:]

        init(_ folder: URL) {
            self.folder = folder
        }

        func download(
            _ download: WKDownload, decideDestinationUsing response: URLResponse, suggestedFilename: String
        ) async -> URL? {
            let name = DownloadName.safe(suggestedFilename)
            let taken = Set(places.values)
            let place = (1...Self.maximumCopyCount).lazy
                .map { self.folder.appendingPathComponent(DownloadName.copy($0, of: name)) }
                .first { !taken.contains($0) && !FileManager.default.fileExists(atPath: $0.path) }
            places[ObjectIdentifier(download)] = place
            if place == nil { didEnd?(.notSaved(reason: "there are too many files \"\(name)\"")) }
            return place
        }

        func downloadDidFinish(_ download: WKDownload) {
            if let place = places.removeValue(forKey: ObjectIdentifier(download)) { didEnd?(.saved(place)) }
        }

        func download(_ download: WKDownload, didFailWithError error: any Error, resumeData: Data?) {
            places[ObjectIdentifier(download)] = nil
            didEnd?(.notSaved(reason: error.localizedDescription))
        }
    }
#endif
