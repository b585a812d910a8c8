public import Foundation
import PackFormat

/// The app's cookies in a file, for programs without a cookie storage of their own. Cookies with an expiry date
/// survive the program; the others end with it. Only the user can read the file.
public final class FileCookieStore: NativeCookieStore {
    private struct Stored: Codable {
        let name: String
        let value: String
        let domain: String
        let isHostOnly: Bool
        let path: String
        let expires: Date
        let isSecure: Bool
        let isHTTPOnly: Bool
        let sameSite: String?

        init?(_ cookie: WebCookie) {
            guard let expires = cookie.expires else { return nil }
            (name, value, domain, path) = (cookie.name, cookie.value, cookie.domain, cookie.path)
            (isHostOnly, isSecure, isHTTPOnly) = (cookie.isHostOnly, cookie.isSecure, cookie.isHTTPOnly)
            (self.expires, sameSite) = (expires, cookie.sameSite?.rawValue)
        }

        var cookie: WebCookie {
            WebCookie(
                name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path, expires: expires,
                isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite.flatMap(WebCookie.SameSite.init))
        }
    }

    private let file: URL
    private let memory: MemoryCookieStore
    private let writing = NSLock()

    /// Reads the stored cookies. A file that cannot be read counts as empty.
    /// - Parameter file: A file in an existing folder.
    public init(_ file: URL, now: Date = Date()) {
        self.file = file
        let stored = (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode([Stored].self, from: $0) } ?? []
        memory = MemoryCookieStore(stored.map(\.cookie).filter { !$0.isExpired(at: now) })
    }

    public func cookies() -> [WebCookie] { memory.cookies() }

    public func set(_ cookie: WebCookie) {
        writing.withLock {
            let before = memory.cookies()
            memory.set(cookie)
            keep(insteadOf: before)
        }
    }

    public func delete(_ cookie: WebCookie) {
        writing.withLock {
            let before = memory.cookies()
            memory.delete(cookie)
            keep(insteadOf: before)
        }
    }

    /// A cookie that cannot be written is kept until the program ends: a full disk stops no page.
    private func keep(insteadOf before: [WebCookie]) {
        let kept = memory.cookies().filter { $0.expires != nil }
        guard kept != before.filter({ $0.expires != nil }), let data = try? JSONEncoder().encode(kept.map(Stored.init))
        else { return }
        let new = file.appendingPathExtension("new")
        try? FileManager.default.removeItem(at: new)
        guard FileManager.default.createFile(atPath: new.path, contents: data, attributes: [.posixPermissions: 0o600])
        else { return }
        _ = rename(new.path, file.path)
    }
}
