import Foundation
import PackWeb
import PackWebOnline
import Testing

struct FileCookieStoreTests {
    @Test func `a cookie with a date outlives the program, and only the user can read it`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cookies-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("app-cookies.json")
        let kept = WebCookie(
            name: "kept", value: "1", domain: "shop", path: "/a", expires: Date(timeIntervalSinceNow: 1000),
            isSecure: true,
            isHTTPOnly: true, sameSite: .strict)
        let store = FileCookieStore(file)
        store.set(kept)
        store.set(WebCookie(name: "session", value: "1", domain: "shop"))
        #expect(store.cookies().count == 2)
        #expect(FileCookieStore(file).cookies() == [kept])
        #expect(FileCookieStore(file, now: Date(timeIntervalSinceNow: 2000)).cookies() == [])
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["app-cookies.json"])
        store.delete(kept)
        #expect(FileCookieStore(file).cookies() == [])
        try Data("{".utf8).write(to: file)
        #expect(FileCookieStore(file).cookies() == [])
    }
}
