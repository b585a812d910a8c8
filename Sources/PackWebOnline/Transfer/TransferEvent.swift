public import Foundation

/// The events of a request, in this order: one response, any data, one end.
public enum TransferEvent: Sendable {
    case response(TransferHead)
    case data(Data)
    case finished
    case failed(any Error)
}

/// The head of an answer, from the device or from the network.
public struct TransferHead: Hashable, Sendable {
    public let status: Int
    /// The headers by name as they arrived; the device's own names are lower-case.
    public let headers: [String: String]

    public init(status: Int, headers: [String: String]) {
        self.status = status
        self.headers = headers
    }
}
