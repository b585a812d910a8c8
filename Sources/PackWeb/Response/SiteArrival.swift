import PackFormat

/// An answer whose file is being fetched, because its version installs itself while its pages use it. A media file is
/// answered when all of it is here.
public struct SiteArrival: Hashable, Sendable {
    private let content: any SiteContent
    private let digest: Digest
    private let request: SiteRequest
    /// What is said about the file to people.
    private let name: String
    private let expected: SiteResponse

    init(
        _ expected: SiteResponse, of digest: Digest, named name: String, in content: any SiteContent,
        to request: SiteRequest
    ) {
        self.expected = expected
        self.digest = digest
        self.name = name
        self.content = content
        self.request = request
    }

    /// Waits for the file and answers with it. The bytes have the signed digest. If they do not arrive, the answer is
    /// an error that says why: 504 if the network did not answer, 502 if it answered with something else.
    public func response() async -> SiteResponse {
        do {
            try await content.fetch(digest)
            return expected
        } catch {
            let text = "\(name) is not on this device yet and did not come: \(error)"
            let isUnreachable = (error as? any NetworkFault)?.isUnreachable ?? false
            return .message(isUnreachable ? 504 : 502, text, to: request)
        }
    }

    public static func == (one: SiteArrival, other: SiteArrival) -> Bool {
        one.digest == other.digest && one.expected == other.expected && one.request == other.request
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
        hasher.combine(request)
    }
}
