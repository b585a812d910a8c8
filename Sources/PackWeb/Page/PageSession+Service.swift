import PackFormat

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The services behind a package's own paths.
extension PageSession {
    /// The app's own word comes before the package's.
    /// - Returns: nil if the path is no service's.
    func service(_ request: SiteRequest, at address: SiteAddress, _ manifest: Manifest?) -> Decision? {
        if let url = settings.rules.api.target(of: address.pathAndQuery) {
            return Decision(way: .online(url), reason: .api, detail: url)
        }
        guard let url = manifest?.api.target(of: address.pathAndQuery) else { return nil }
        guard let target = WebURL(url), !LoopbackName.isOne(target.host) || isAllowed(target) else {
            let text = "\(address.path) leads to a service on this device, which the app does not allow"
            return Decision(way: .local(.message(403, text, to: request)), reason: .api, detail: text)
        }
        return Decision(way: .online(url), reason: .api, detail: url)
    }

    /// Whether a redirect of a service may be followed for the page, which takes the answer for its own origin's: not to this
    /// device's own services but those that the app allows, and not from https to http. What may not is handed to the page,
    /// whose engine has rules of its own for other origins.
    package func allowsHop(from service: URL?, to next: URL?) -> Bool {
        guard let service = (service?.absoluteString).flatMap(WebURL.init),
            let next = (next?.absoluteString).flatMap(WebURL.init)
        else { return false }
        let isSame = next.host == service.host && next.effectivePort == service.effectivePort
        if LoopbackName.isDisguised(next.host) || (LoopbackName.isOne(next.host) && !isSame && !isAllowed(next)) {
            return false
        }
        return next.scheme == "https" || service.scheme != "https" || isAllowed(next)
    }

    private func isAllowed(_ target: WebURL) -> Bool {
        settings.loopbackServices.contains("\(target.host):\(target.effectivePort ?? 0)")
    }
}

extension SiteAddress {
    fileprivate var pathAndQuery: String { path + (query.map { "?" + $0 } ?? "") }
}

extension SiteAddress.Form {
    /// Whether the address is the device's alone: a real one has its server behind it.
    var isOwn: Bool {
        if case .origin = self { false } else { true }
    }
}
