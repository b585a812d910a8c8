import Foundation
import PackFormat
import PackWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ResourceLoad {
    /// Asks the app for an answer before the package (``NativeAnswers/precedesPackage``).
    func askApp(_ siteRequest: SiteRequest, _ request: URLRequest) {
        state.withLock { state in
            let task = Task {
                let answer = await online.nativeAnswer(to: request)
                place.perform {
                    guard self.gate.isOpen else { return }
                    if let answer {
                        self.give(answer, to: siteRequest)
                    } else {
                        self.run(self.page.answer(siteRequest), to: siteRequest.url, request)
                    }
                }
            }
            // Under the lock: the task goes on to a request with a cancellation of its own.
            state.cancel = { task.cancel() }
        }
    }

    private func give(_ answer: NativeAnswer, to request: SiteRequest) {
        deliver(.response(answer.head))
        if request.method != "HEAD", !answer.body.isEmpty { deliver(.data(answer.body)) }
        deliver(.finished)
    }
}
