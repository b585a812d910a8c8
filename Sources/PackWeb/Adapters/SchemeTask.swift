public import Foundation

/// A web view's request under a scheme of ours, such as a `WKURLSchemeTask`. The engine traps when it is called out of
/// order or after it stopped the task; ``SchemeTaskDriver`` never does.
public protocol SchemeTask: AnyObject, Sendable {
    func receive(_ head: TransferHead)
    func receive(_ data: Data)
    func finish()
    func fail(_ error: any Error)
}

/// A task of an engine that takes a whole answer at once: a page of many small files waits for turns from one thread to
/// another, and not for bytes.
public protocol WholeAnswerTask: SchemeTask {
    /// Called from inside of ``SchemeTaskDriver/start(_:request:)``, and then nothing else is.
    func answer(_ head: TransferHead, _ body: Data)
}
