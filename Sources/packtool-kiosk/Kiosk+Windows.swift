import Foundation
import PackHost
import PackJSON
import PackWeb
import PackWebKitGTK

/// What a page requests outside the one window: another window, or a file on this machine.
extension Kiosk {
    /// Of an address that a page has chosen, in an event.
    private static let maximumLength = 2_048

    /// Why a window is refused, in an event.
    private enum WindowRefusal: String {
        /// `--windows none`.
        case off
        /// Nobody has touched the page: browsers block such windows.
        case noGesture
        /// The window is for a form, whose fields would be lost.
        case method
        /// The address has neither https, http nor the packages' scheme: `mailto:`, `blob:`, `about:blank`.
        case address
        case foreign
    }

    /// - Returns: whether its address takes the page's place.
    func takes(_ window: PackageView.NewWindow) -> Bool {
        let refusal = refusal(of: window)
        let url = Self.shortened(window.url)
        if let refusal {
            say("no window for \(url): \(refusal.rawValue)")
        }
        var fields: JSONObject = ["url": .string(url), "opened": .bool(refusal == nil)]
        if let refusal { fields["reason"] = .string(refusal.rawValue) }
        control?.say("window", fields)
        return refusal == nil
    }

    private func refusal(of window: PackageView.NewWindow) -> WindowRefusal? {
        guard settings.windows != .none else { return .off }
        guard window.isUserGesture else { return .noGesture }
        guard window.method == "GET" else { return .method }
        if let package = host.package(of: window.url), host.packages.settings.packages[package] != nil { return nil }
        let parts = URLComponents(string: window.url)
        guard let scheme = parts?.scheme?.lowercased(), ["https", "http"].contains(scheme),
            let host = parts?.host?.lowercased()
        else { return .address }
        return settings.windows == .all || settings.windowHosts.contains(host) ? nil : .foreign
    }

    func downloaded(_ download: Download) {
        let url = Self.shortened(download.url)
        var fields: JSONObject = ["number": .integer(download.number), "url": .string(url)]
        if !download.name.isEmpty { fields["name"] = .string(download.name) }
        switch download.state {
        case .began: fields["state"] = "began"
        case .saved(let path, let size):
            say("saved \(path)")
            fields["state"] = "saved"
            fields["file"] = .string(path)
            fields["size"] = .integer(size)
        case .refused(let reason):
            say("no download of \(url): \(reason)")
            fields["state"] = "refused"
            fields["reason"] = .string(reason)
        case .failed(let reason):
            say("the download of \(url) failed: \(reason)")
            fields["state"] = "failed"
            fields["reason"] = .string(reason)
        }
        control?.say("download", fields)
    }

    /// A `data:` address is as long as the file.
    private static func shortened(_ url: String) -> String {
        url.count > maximumLength ? url.prefix(maximumLength) + "…" : url
    }
}
