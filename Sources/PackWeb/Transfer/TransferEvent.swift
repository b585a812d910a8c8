public import Foundation

/// What a request brings, in this order: one response, any data, one end.
public enum TransferEvent: Sendable {
    case response(TransferHead)
    case data(Data)
    case finished
    case failed(any Error)
}

/// The head of an answer, from the device or from the network.
public struct TransferHead: Hashable, Sendable {
    public let status: Int
    /// By name as it came; the device's own are lower-case.
    public let headers: [String: String]

    public init(status: Int, headers: [String: String]) {
        self.status = status
        self.headers = headers
    }
}
