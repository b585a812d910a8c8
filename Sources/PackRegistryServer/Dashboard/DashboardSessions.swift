import Foundation
import PackFormat
import Synchronization

/// Who is signed in to the dashboard. Sessions are in memory only: who was signed in when a server ended signs in again.
///
/// A session remembers the token, not its rights: each request asks the registry anew, so a revoked token ends its sessions.
final class DashboardSessions: Sendable {
    struct Session: Sendable {
        /// The access token.
        let secret: String
        /// What forms send back.
        let formToken: String
        let expires: ContinuousClock.Instant
        /// Shown on the next page.
        var notice: String?
    }

    static let lifetime: Duration = .seconds(12 * 3600)
    /// The oldest goes where there are more.
    static let maximumCount = 1_000

    private let lifetime: Duration
    /// By the digest of the session's id: the table of a process in a debugger or a core dump signs nobody in.
    private let sessions = Mutex<[Digest: Session]>([:])

    init(lifetime: Duration = DashboardSessions.lifetime) {
        self.lifetime = lifetime
    }

    /// - Returns: the id for the browser's cookie.
    func begin(_ secret: String) -> String {
        let id = Self.random()
        let now = ContinuousClock.now
        let session = Session(secret: secret, formToken: Self.random(), expires: now + lifetime)
        sessions.withLock { sessions in
            sessions = sessions.filter { $0.value.expires > now }
            if sessions.count >= Self.maximumCount,
                let oldest = sessions.min(by: { $0.value.expires < $1.value.expires })
            {
                sessions[oldest.key] = nil
            }
            sessions[Self.key(id)] = session
        }
        return id
    }

    func session(_ id: String) -> Session? {
        sessions.withLock { sessions in
            guard let session = sessions[Self.key(id)] else { return nil }
            guard session.expires > .now else {
                sessions[Self.key(id)] = nil
                return nil
            }
            return session
        }
    }

    func end(_ id: String) { sessions.withLock { $0[Self.key(id)] = nil } }

    func setNotice(_ notice: String, of id: String) { sessions.withLock { $0[Self.key(id)]?.notice = notice } }

    /// The notice, which is not shown again.
    func takeNotice(of id: String) -> String? {
        sessions.withLock { sessions in
            defer { sessions[Self.key(id)]?.notice = nil }
            return sessions[Self.key(id)]?.notice
        }
    }

    var count: Int { sessions.withLock { $0.count } }

    private static func key(_ id: String) -> Digest { Digest(of: Array(id.utf8)) }

    /// 256 bits in hexadecimal digits.
    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let hex = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - hex.count) + hex
        }.joined()
    }
}
