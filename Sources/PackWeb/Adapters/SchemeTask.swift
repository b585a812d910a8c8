public import Foundation

/// A web view's request under a scheme of ours, such as a `WKURLSchemeTask`. The engine traps when it is called out of
/// order or after it stopped the task; ``SchemeTaskDriver`` never does.
public protocol SchemeTask: AnyObject, Sendable {
    func receive(_ head: TransferHead)
    func receive(_ data: Data)
    func finish()
    func fail(_ error: any Error)
}
