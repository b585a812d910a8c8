/// A page's document, as the view finds it again.
extension PageSession {
    /// The name of the field that the device's answer to a document carries through the proxy. Its value is new for each
    /// page, so the view can tell the device's answer from one that a service worker made or had kept.
    public static let documentField = "packtool-document"

    /// The fields by which the view finds the page of an answer; none if it is not the document's, or not the device's.
    package func documentFields(of answer: SiteAnswer) -> [String: String] {
        guard answer.number == 0, let documentKey else { return [:] }
        if case .online = answer.way { return [:] }
        return [Self.documentField: documentKey]
    }

    /// Whether the page began with this document, and the device answered it, if with an error.
    func hasAnsweredDocument(at url: String) -> Bool {
        guard let first = report.entries.first, first.outcome != .online else { return false }
        return String(first.url.prefix { $0 != "#" }) == url
    }
}
