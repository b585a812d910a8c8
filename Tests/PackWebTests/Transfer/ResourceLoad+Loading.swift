import Foundation

@testable import PackWeb

@testable import PackWebOnline

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ResourceLoad {
    /// Performs a request to its end.
    /// - Returns: the last status and the bytes.
    static func load(
        _ request: URLRequest, on page: PageSession, online: NetworkLoader, at place: CallbackPlace
    ) async throws -> (status: Int, data: Data) {
        let (events, continuation) = AsyncThrowingStream<TransferEvent, any Error>.makeStream()
        let transfer = ResourceLoad(request, on: page, online: online, at: place) { event in
            continuation.yield(event)
            switch event {
            case .finished: continuation.finish()
            case .failed(let error): continuation.finish(throwing: error)
            case .response, .data: break
            }
        }
        transfer.start()
        defer { transfer.stop() }
        var (status, data) = (0, Data())
        for try await event in events {
            if case .response(let head) = event { status = head.status }
            if case .data(let part) = event { data += part }
        }
        return (status, data)
    }
}
