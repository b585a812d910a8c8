import Hummingbird
import NIOCore

extension Request {
    /// The body as it comes. What goes wrong on its way, a chunk that is none, a connection that ends too early, is the
    /// client's fault or nobody's, and not the registry's.
    var receivedBody: ReceivedBody { ReceivedBody(body: body) }
}

struct ReceivedBody: AsyncSequence {
    typealias Element = ByteBuffer

    let body: RequestBody

    struct AsyncIterator: AsyncIteratorProtocol {
        var iterator: RequestBody.AsyncIterator

        mutating func next() async throws -> ByteBuffer? {
            do {
                return try await iterator.next()
            } catch let error as SlowBodyError {
                throw error
            } catch let error as CancellationError {
                throw error
            } catch {
                throw Problem.badRequest("the request body ended too early, or is not sent as HTTP has it")
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: body.makeAsyncIterator()) }
}
