import Dispatch
import Foundation

/// Where a client must be called back. Web views need their main thread; a `URLProtocol`'s client needs the thread
/// and the run loop modes on which it was started.
public struct CallbackPlace: Sendable {
    /// Runs work there, in the order in which it is submitted.
    public let perform: @Sendable (@escaping @Sendable () -> Void) -> Void

    public init(_ perform: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.perform = perform
    }

    /// Runs work on the calling thread.
    public static let inPlace = CallbackPlace { $0() }

    public static let main = CallbackPlace { work in DispatchQueue.main.async(execute: DispatchWorkItem { work() }) }

    /// Runs work on a thread of its own if one is needed, one call after the other. Calls may block.
    public static func serial(label: String) -> CallbackPlace {
        let queue = DispatchQueue(label: label)
        return CallbackPlace { work in queue.async(execute: DispatchWorkItem { work() }) }
    }
}
