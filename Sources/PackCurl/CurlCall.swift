import CCurlExchange
import PackFormat
import PackUpdater

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One exchange on the loop's thread: libcurl's handle, the head that comes, and the redirects.
final class CurlCall {
    private static let maximumHopCount = 20
    /// Of a redirect's own body.
    private static let maximumDiscardedByteCount = 1 << 16

    let exchange: CurlExchange
    private let pool: OpaquePointer
    private var handle: OpaquePointer?
    private var head = CurlHead()
    private var isRedirect = false
    private var hopCount = 0
    private var discarded = 0

    /// Starts an exchange; nil if libcurl has no memory for it.
    init?(_ exchange: CurlExchange, on pool: OpaquePointer) {
        self.exchange = exchange
        self.pool = pool
        let receiver = packtool_curl_receiver(
            context: Unmanaged.passUnretained(self).toOpaque(),
            line: { context, bytes, count in
                guard let context, let bytes else { return 1 }
                let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
                return CurlCall.of(context).receive(line: line) ? 0 : 1
            },
            body: { context, bytes, count in
                guard let context, let bytes else { return 1 }
                return CurlCall.of(context).receive(Data(bytes: bytes, count: count)) ? 0 : 1
            })
        let request = exchange.request
        let total = exchange.limits.total.map { Int($0 / .milliseconds(1)) } ?? 0
        guard let handle = packtool_curl_exchange_new(request.url.absoluteString, total, receiver) else { return nil }
        // What arrives is what is counted: no transparent decompression.
        var fields = ["Accept-Encoding": "identity", "User-Agent": ProductVersion.userAgent("PackUpdater")]
        fields.merge(request.fields) { $1 }
        var isReady = fields.allSatisfy { packtool_curl_add_field(handle, "\($0.key): \($0.value)") == 0 }
        if let body = request.body { isReady = isReady && packtool_curl_set_body(handle, body, body.count) == 0 }
        guard isReady, packtool_curl_start(pool, handle) == 0 else {
            packtool_curl_exchange_free(handle)
            return nil
        }
        self.handle = handle
    }

    deinit {
        guard let handle else { return }
        packtool_curl_stop(pool, handle)
        packtool_curl_exchange_free(handle)
    }

    private static func of(_ context: UnsafeMutableRawPointer) -> CurlCall {
        Unmanaged<CurlCall>.fromOpaque(context).takeUnretainedValue()
    }

    // MARK: The answer

    private func receive(line: String) -> Bool {
        guard head.add(line) else { return true }
        isRedirect = head.isRedirect(of: exchange.request.method)
        return isRedirect || exchange.receive(head.http)
    }

    private func receive(_ data: Data) -> Bool {
        guard isRedirect else { return exchange.receive(data) }
        discarded += data.count
        return discarded <= Self.maximumDiscardedByteCount
    }

    // MARK: The end

    /// The next call whose turn has ended; it goes on after a redirect.
    static func nextEnded(on pool: OpaquePointer) -> (call: CurlCall, goesOn: Bool)? {
        var (failure, redirect): (UnsafePointer<CChar>?, UnsafePointer<CChar>?) = (nil, nil)
        guard let context = packtool_curl_next_ended(pool, &failure, &redirect) else { return nil }
        let call = of(context)
        return (call, call.ended(failure.map { String(cString: $0) }, redirect.map { String(cString: $0) }))
    }

    /// - Returns: whether it goes on at another place.
    private func ended(_ failure: String?, _ redirect: String?) -> Bool {
        if let failure {
            exchange.finish(TransferFailure.connection(failure, CertificateRefusal(text: failure)))
            return false
        }
        guard isRedirect else {
            exchange.finish(nil)
            return false
        }
        guard hopCount < Self.maximumHopCount else {
            exchange.finish(TransferFailure.connection("it is redirected more than \(Self.maximumHopCount) times", nil))
            return false
        }
        // A redirect out of TLS would show everybody on the way what this device asks for. The redirect is the answer then.
        guard let redirect, let handle, leads(to: redirect) else {
            _ = exchange.receive(head.http)
            exchange.finish(nil)
            return false
        }
        hopCount += 1
        isRedirect = false
        guard packtool_curl_set_url(handle, redirect) == 0, packtool_curl_start(pool, handle) == 0 else {
            exchange.finish(TransferFailure.connection("libcurl cannot send it", nil))
            return false
        }
        return true
    }

    private func leads(to place: String) -> Bool {
        let isSecure = exchange.request.url.scheme?.lowercased() == "https"
        let scheme = place.prefix { $0 != ":" }.lowercased()
        return scheme == "https" || scheme == "http" && !isSecure
    }
}
