import Dispatch
import Foundation

/// Where a client wants to be called back. Web views want their main thread, and a `URLProtocol`'s client the thread
/// and the run loop modes that it was started on.
public struct CallbackPlace: Sendable {
    /// Runs work there, in the order in which it is handed over.
    public let perform: @Sendable (@escaping @Sendable () -> Void) -> Void

    public init(_ perform: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.perform = perform
    }

    /// Wherever the work is at hand.
    public static let inPlace = CallbackPlace { $0() }

    public static let main = CallbackPlace { work in DispatchQueue.main.async(execute: DispatchWorkItem { work() }) }

    /// A thread of its own where one is needed, one call after the other: calls may block.
    public static func serial(label: String) -> CallbackPlace {
        let queue = DispatchQueue(label: label)
        return CallbackPlace { work in queue.async(execute: DispatchWorkItem { work() }) }
    }
}
