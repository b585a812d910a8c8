/// The first of two answers: whether a page responds, or that the time for it is over.
@MainActor
package final class FirstAnswer {
    private var continuation: CheckedContinuation<Bool, Never>?

    package init(_ continuation: CheckedContinuation<Bool, Never>) {
        self.continuation = continuation
    }

    package func resume(_ answer: Bool) {
        continuation?.resume(returning: answer)
        continuation = nil
    }
}
