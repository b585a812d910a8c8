import Foundation
import PackFormat
import PackWeb
import PackWebOnline
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension PackURLProtocolTests {
    /// Foundation on Linux stops a request that it cancels and none that has ended.
    @Test(arguments: ["https://shop.package/", "https://shop.package/none"])
    func `a request that has ended is let go, nobody stopping it`(url: String) async throws {
        weak var ended: PackURLProtocol?
        do {
            let client = EndingClient()
            let request = URLRequest(url: try #require(URL(string: url)))
            let asked = PackURLProtocol(request: request, cachedResponse: nil, client: client)
            ended = asked
            await client.wait { asked.startLoading() }
        }
        for _ in 0..<400 where ended != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(ended == nil)
    }
}

/// Waits for the end of one request.
private final class EndingClient: NSObject, URLProtocolClient, Sendable {
    private let waiter = Mutex<CheckedContinuation<Void, Never>?>(nil)

    func wait(_ begin: () -> Void) async {
        await withCheckedContinuation { continuation in
            waiter.withLock { $0 = continuation }
            begin()
        }
    }

    private func end() {
        waiter.withLock { waiter in
            defer { waiter = nil }
            return waiter
        }?.resume()
    }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { end() }
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) { end() }
    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {}
    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {}
    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
    ) {}
    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {}
    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {}
    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
}
