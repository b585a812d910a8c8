import CWebKitGTK
import Foundation
import PackWebOnline

/// The downloads of a view: they are refused, or saved in one folder. WebKit would save them in the user's home
/// folder, without a limit and without telling the app.
///
/// Apart from ``PackageView``, because WebKit gives downloads to the context and not to the view: each has signals, a
/// state and an end of its own, also when the page that asked for it is gone.
@MainActor
final class DownloadDoor {
    private final class Running {
        var download: Download
        var isWriting = false
        var received = 0
        /// Why the app has given it up.
        var fault: String?

        init(_ download: Download) {
            self.download = download
        }
    }

    /// At once; the limit of the folder bounds the rest.
    private static let maximumCount = 8

    private let folder: DownloadFolder?
    private let tell: @MainActor (Download) -> Void
    private var running: [UnsafeMutableRawPointer: Running] = [:]
    private var count = 0
    /// What the folder could still take when the downloads under way began, without them.
    private var room = 0

    /// The custom scheme, which WebKit's downloads do not know: they are made by another process than the view's requests.
    private let unreachable: String?

    init(_ folder: DownloadFolder?, unreachable: String?, tell: @escaping @MainActor (Download) -> Void) {
        self.folder = folder
        self.unreachable = unreachable
        self.tell = tell
    }

    /// The context's signal: from now on every download comes here.
    func open(_ context: UnsafeMutablePointer<WebKitWebContext>) {
        let started: @convention(c) (gpointer, gpointer, gpointer) -> Void = { _, download, data in
            DownloadDoor.of(data, download) { $0.started($1) }
        }
        pack_connect(context, "download-started", unsafeBitCast(started, to: gpointer.self), me)
    }

    /// Gives up what is under way.
    func close(_ context: UnsafeMutablePointer<WebKitWebContext>) {
        pack_disconnect_all(context, me)
        for (held, running) in running {
            pack_disconnect_all(held, me)
            webkit_download_cancel(Self.typed(held))
            folder?.remove(running.download.number)
            g_object_unref(held)
        }
        running = [:]
    }

    private static func typed(_ held: UnsafeMutableRawPointer) -> UnsafeMutablePointer<WebKitDownload> {
        held.assumingMemoryBound(to: WebKitDownload.self)
    }

    private var me: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private nonisolated static func of<Result: Sendable>(
        _ data: gpointer, _ download: gpointer,
        _ body: @MainActor (DownloadDoor, UnsafeMutableRawPointer) -> Result
    ) -> Result {
        nonisolated(unsafe) let (data, download) = (data, download)
        return MainActor.assumeIsolated {
            body(Unmanaged<DownloadDoor>.fromOpaque(data).takeUnretainedValue(), download)
        }
    }

    private func started(_ held: UnsafeMutableRawPointer) {
        let request = webkit_download_get_request(Self.typed(held))
        let url = request.flatMap { webkit_uri_request_get_uri($0) }.map { String(cString: $0) } ?? ""
        guard !refuses(url) else {
            // WebKit has not asked for a place yet, so nothing of it is on the disk.
            webkit_download_cancel(Self.typed(held))
            return
        }
        count += 1
        g_object_ref(held)
        running[held] = Running(Download(number: count, url: url, state: .began))
        connect(held)
    }

    /// - Returns: whether nothing is downloaded from there; it has been told then.
    func refuses(_ url: String) -> Bool {
        let reason: String
        if folder == nil {
            reason = "there is no folder for downloads"
        } else if let unreachable, url.lowercased().hasPrefix(unreachable + ":") {
            reason = "WebKit downloads nothing under a custom scheme"
        } else if running.count >= Self.maximumCount {
            reason = "\(Self.maximumCount) downloads are under way"
        } else {
            return false
        }
        count += 1
        end(Download(number: count, url: url, state: .began), .refused(reason: reason))
        return true
    }

    private func connect(_ held: UnsafeMutableRawPointer) {
        let named: @convention(c) (gpointer, UnsafePointer<CChar>?, gpointer) -> gboolean = { download, name, data in
            let name = name.map { String(cString: $0) } ?? ""
            DownloadDoor.of(data, download) { $0.begin($1, name) }
            return 1
        }
        let received: @convention(c) (gpointer, UInt64, gpointer) -> Void = { download, size, data in
            DownloadDoor.of(data, download) { $0.received($1, Int(clamping: size)) }
        }
        let failed: @convention(c) (gpointer, UnsafeMutablePointer<GError>?, gpointer) -> Void = {
            download, error, data in
            let reason = error.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "no reason was given"
            DownloadDoor.of(data, download) { $0.failed($1, reason) }
        }
        let finished: @convention(c) (gpointer, gpointer) -> Void = { download, data in
            DownloadDoor.of(data, download) { $0.finished($1) }
        }
        pack_connect(held, "decide-destination", unsafeBitCast(named, to: gpointer.self), me)
        pack_connect(held, "received-data", unsafeBitCast(received, to: gpointer.self), me)
        pack_connect(held, "failed", unsafeBitCast(failed, to: gpointer.self), me)
        pack_connect(held, "finished", unsafeBitCast(finished, to: gpointer.self), me)
    }

    private func begin(_ held: UnsafeMutableRawPointer, _ suggested: String) {
        guard let running = running[held], let folder else { return }
        running.download.name = DownloadName.safe(suggested)
        let others = self.running.values.filter { $0.isWriting }
        if others.isEmpty { room = folder.room }
        let response = webkit_download_get_response(Self.typed(held))
        let status = response.map { webkit_uri_response_get_status_code($0) } ?? 0
        guard status < 400 else {
            giveUp(held, "the server answered \(status)")
            return
        }
        guard announcedSize(of: held) ?? 0 <= room - others.reduce(0, { $0 + $1.received }) else {
            giveUp(held, DownloadError.tooLarge(limit: folder.limit).description)
            return
        }
        running.isWriting = true
        tell(running.download)
        webkit_download_set_allow_overwrite(Self.typed(held), 0)
        webkit_download_set_destination(
            Self.typed(held), folder.place(of: running.download.number).absoluteString)
    }

    /// Nil if the server does not say, or only how large the file is on its way.
    private func announcedSize(of held: UnsafeMutableRawPointer) -> Int? {
        guard let response = webkit_download_get_response(Self.typed(held)) else { return nil }
        let size = Int(clamping: webkit_uri_response_get_content_length(response))
        let headers = webkit_uri_response_get_http_headers(response)
        let isEncoded = headers.map { soup_message_headers_get_one($0, "Content-Encoding") != nil } ?? false
        return size > 0 && !isEncoded ? size : nil
    }

    private func received(_ held: UnsafeMutableRawPointer, _ size: Int) {
        guard let running = running[held], let folder, running.fault == nil else { return }
        running.received += size
        if self.running.values.reduce(0, { $0 + $1.received }) > room {
            giveUp(held, DownloadError.tooLarge(limit: folder.limit).description)
        }
    }

    private func giveUp(_ held: UnsafeMutableRawPointer, _ reason: String) {
        running[held]?.fault = reason
        webkit_download_cancel(Self.typed(held))
    }

    private func failed(_ held: UnsafeMutableRawPointer, _ reason: String) {
        guard let running = forget(held) else { return }
        folder?.remove(running.download.number)
        end(
            running.download,
            running.isWriting
                ? .failed(reason: running.fault ?? reason) : .refused(reason: running.fault ?? reason))
    }

    private func finished(_ held: UnsafeMutableRawPointer) {
        guard let folder, let running = self.running[held] else { return }
        let download = running.download
        let announced = announcedSize(of: held)
        // Waits for the disk.
        Task {
            let outcome = await Task.detached { () -> Result<(file: URL, size: Int), any Error> in
                Result { try folder.keep(download.number, as: download.name, of: announced) }
            }.value
            folder.remove(download.number)
            guard forget(held) != nil else { return }
            switch outcome {
            case .success(let (file, size)):
                // What is kept takes room from those that are still under way.
                room -= size
                end(download, .saved(path: file.path, size: size))
            case .failure(let error): end(download, .failed(reason: "\(error)"))
            }
        }
    }

    private func forget(_ held: UnsafeMutableRawPointer) -> Running? {
        guard let running = running.removeValue(forKey: held) else { return nil }
        pack_disconnect_all(held, me)
        g_object_unref(held)
        return running
    }

    private func end(_ download: Download, _ state: Download.State) {
        var download = download
        download.state = state
        tell(download)
    }
}
