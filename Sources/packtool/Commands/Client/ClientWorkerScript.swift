import HTTPTypes
import Hummingbird
import NIOCore
import PackFormat

/// The script of a service worker, for browsers, whose workers outlive pages and versions and cannot be removed from
/// outside.
///
/// A browser requests the script of each registered worker soon after a navigation (Service Workers section
/// "Update"). A cookie names the version of the browser's worker. If another version is active now, the answer is a
/// replacement script that removes the worker and the Cache storage and reloads the worker's pages. They then come
/// from the active version, and may register a worker of it. Other data of the pages is kept.
enum ClientWorkerScript {
    private static let cookie = "packtool-worker"

    /// - Parameter cookies: the request's `Cookie` field.
    /// - Returns: whether the browser may have a worker of another version.
    static func isOther(than version: SemanticVersion, cookies: String?) -> Bool {
        guard let known = ClientSiteResponder.cookie(cookies, cookie) else { return false }
        return known != version.description
    }

    /// What the browser says from now on of the worker that it has.
    /// - Parameter path: the script's own: of several workers each has its cookie.
    static func mark(_ version: SemanticVersion, at path: String) -> String {
        "\(cookie)=\(version); Path=\(path); Max-Age=31536000; SameSite=Strict; HttpOnly"
    }

    static func removal(for version: SemanticVersion, at path: String) -> Response {
        var headers: HTTPFields = [.contentType: "text/javascript; charset=utf-8", .cacheControl: "no-store"]
        headers[values: .setCookie] = [mark(version, at: path)]
        // The worker's scope may be wider than the script's folder.
        if let name = HTTPField.Name("Service-Worker-Allowed") { headers[name] = "/" }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: script)))
    }

    private static let script = """
        // Another version of the package is active: its pages come from the device, not from the worker of the one before.
        addEventListener("install", () => skipWaiting());
        addEventListener("activate", event => event.waitUntil((async () => {
          for (const name of await caches.keys()) await caches.delete(name);
          const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
          await registration.unregister();
          for (const page of pages) page.navigate(page.url).catch(() => {});
        })()));

        """
}
