import Foundation
import PackFormat
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import PackWeb

@testable import PackWebOnline

extension PackURLProtocolTests {
    /// What a `URLProtocol`'s client is told, without a session in between.
    @Suite(.serialized)
    struct ProtocolClientTests {
        private let store: TestStore
        private let catalog: TestCatalog
        private let server: EchoServer
        private let thread = LoopThread()

        init() throws {
            store = try TestStore()
            server = try EchoServer()
            catalog = TestCatalog(
                try store.content("shop", "1.0.0", ["index.html": String(repeating: "x", count: 600_000)]))
            let late = try PackageID("late")
            let address = server.address
            catalog.change { $0.packages[late] = WebSettings.Package(origins: [address + "/"]) }
            let place = thread.place
            PackURLProtocol.mount(
                PageDirectory(catalog), online: NetworkLoader(),
                callbacks: PackURLProtocol.Callbacks(place: { place }, reportsRedirects: true))
        }

        private func loading(_ url: String, _ client: RecordingClient, method: String = "GET") throws -> PackURLProtocol
        {
            var request = URLRequest(url: try #require(URL(string: url)))
            request.httpMethod = method
            if method == "POST" { request.httpBody = Data("body".utf8) }
            return PackURLProtocol(request: request, cachedResponse: nil, client: client)
        }

        @Test func `a client hears a response, data and an end, on the thread that it was started on`() async throws {
            for url in ["https://shop.package/", "https://late.package/bytes?n=70000"] {
                let client = RecordingClient(expecting: thread)
                let loading = try loading(url, client)
                loading.startLoading()
                let calls = try await client.ended()
                #expect(calls.first == .response(200))
                #expect(calls.last == .end)
                #expect(calls.count == 3)
                #expect(client.wrongThreads == 0)
                loading.stopLoading()
            }
            thread.end()
        }

        @Test func `a redirect is reported to the client, which follows it by itself`() async throws {
            for (status, method) in [(302, "GET"), (303, "GET"), (307, "POST")] {
                let client = RecordingClient(expecting: thread)
                let target = "https://shop.package/index.html"
                let url = "https://late.package/redirect?status=\(status)&to=\(target)"
                let loading = try loading(url, client, method: "POST")
                loading.startLoading()
                let calls = try await client.ended()
                #expect(
                    calls == [
                        .redirect(to: "\(method) \(target)", status: status), .error(URLError.cancelled.rawValue),
                    ])
                #expect(client.wrongThreads == 0)
                client.stop()
                loading.stopLoading()
            }
            try await Task.sleep(for: .milliseconds(50))
            thread.end()
        }

        @Test func `after stopLoading a client hears nothing, whenever it comes and however often`() async throws {
            var stoppedEarly = 0
            for round in 0..<120 {
                let client = RecordingClient()
                let url = round % 3 == 0 ? "https://late.package/bytes?n=100000" : "https://shop.package/"
                let loading = try loading(url, client)
                loading.startLoading()
                if round % 4 > 0 { try await Task.sleep(for: .microseconds(round * 37 % 2000)) }
                loading.stopLoading()
                client.stop()
                let calls = client.calls
                if calls.last != .end { stoppedEarly += 1 }
                loading.stopLoading()
                if round % 20 == 19 { try await Task.sleep(for: .milliseconds(30)) }
                #expect(client.lateCalls == 0)
                #expect(client.calls == calls)
            }
            // Otherwise nothing was tested.
            #expect(stoppedEarly > 10)
            thread.end()
        }

        @Test func `a protocol without a mount says so`() async throws {
            PackURLProtocol.unmount()
            let client = RecordingClient()
            let loading = try loading("https://shop.package/", client)
            loading.startLoading()
            #expect(try await client.ended().count == 1)
            thread.end()
        }
    }
}
