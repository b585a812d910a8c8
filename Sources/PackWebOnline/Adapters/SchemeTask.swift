public import Foundation

/// A web view's request under a scheme of the app, such as a `WKURLSchemeTask`. The engine traps if it is called out
/// of order or after it stopped the task; ``SchemeTaskDriver`` never does that.
public protocol SchemeTask: AnyObject, Sendable {
    func receive(_ head: TransferHead)
    func receive(_ data: Data)
    func finish()
    func fail(_ error: any Error)
}

/// A task of an engine that accepts a whole answer at once. A page of many small files waits for switches between
/// threads, not for bytes.
public protocol WholeAnswerTask: SchemeTask {
    /// Called from within ``SchemeTaskDriver/start(_:request:)``; no other method is called for this task.
    func answer(_ head: TransferHead, _ body: Data)
}
