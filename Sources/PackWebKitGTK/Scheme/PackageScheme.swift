import CWebKitGTK
import Foundation
import Glibc
import PackWeb
import PackWebOnline

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Connects a custom scheme of a web context to the driver. It makes no decisions.
///
/// A request's body is not read: `webkit_uri_scheme_request_get_http_body` of WebKitGTK 2.50 crashes the process if a
/// page sends a Blob, and such a request cannot be recognised. The page hook hands bodies over.
@MainActor
final class PackageScheme {
    private let driver: SchemeTaskDriver

    init(_ scheme: String, driver: SchemeTaskDriver, in context: UnsafeMutablePointer<WebKitWebContext>) {
        self.driver = driver
        // WebKit closes its end of a body that it does not want: that is an answer to write(2), not a signal to us.
        signal(SIGPIPE, SIG_IGN)
        let security = webkit_web_context_get_security_manager(context)
        webkit_security_manager_register_uri_scheme_as_secure(security, scheme)
        webkit_security_manager_register_uri_scheme_as_cors_enabled(security, scheme)
        webkit_web_context_register_uri_scheme(
            context, scheme,
            { request, data in
                guard let request, let data else { return }
                nonisolated(unsafe) let (asked, owner) = (request, data)
                MainActor.assumeIsolated {
                    Unmanaged<PackageScheme>.fromOpaque(owner).takeUnretainedValue().start(asked)
                }
            }, Unmanaged.passRetained(self).toOpaque(),
            { data in if let data { Unmanaged<PackageScheme>.fromOpaque(data).release() } })
    }

    private func start(_ request: UnsafeMutablePointer<WebKitURISchemeRequest>) {
        let text = webkit_uri_scheme_request_get_uri(request).map { String(cString: $0) } ?? ""
        guard let url = SentAddress.url(text) else {
            // Left without an answer, the page would wait for ever.
            let fault = pack_error("\"\(text)\" is no address")
            webkit_uri_scheme_request_finish_error(request, fault)
            g_error_free(fault)
            return
        }
        var asked = URLRequest(url: url)
        asked.httpMethod = webkit_uri_scheme_request_get_http_method(request).map { String(cString: $0) } ?? "GET"
        if let headers = webkit_uri_scheme_request_get_http_headers(request) {
            var iterator = SoupMessageHeadersIter()
            soup_message_headers_iter_init(&iterator, headers)
            var (name, value): (UnsafePointer<CChar>?, UnsafePointer<CChar>?)
            while soup_message_headers_iter_next(&iterator, &name, &value) != 0 {
                guard let name, let value else { continue }
                asked.addValue(String(cString: value), forHTTPHeaderField: String(cString: name))
            }
        }
        let driver = driver
        driver.start(WebKitSchemeTask(request) { [weak driver] in driver?.stop($0) }, request: asked)
    }
}
