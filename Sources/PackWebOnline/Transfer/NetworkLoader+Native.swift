import Foundation
import PackFormat
package import PackWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app's own answers.
extension NetworkLoader {
    /// Whether the app is asked for an answer before the package.
    package func precedesPackage(_ request: SiteRequest) -> Bool {
        guard let native, !request.wantsPage, !request.isWorkerScript else { return false }
        return native.precedesPackage(request)
    }

    /// The app's answer in the place of the package.
    func nativeAnswer(to request: URLRequest) async -> NativeAnswer? { await native?.answer(request) }

    /// Asks the app. It is called in `work`, and goes on there. A cancelled request ends at once, whenever the app
    /// answers.
    func ask(_ native: NativeAnswers, _ request: URLRequest, of container: Container) {
        let asking = Task {
            let answer = await native.answer(request)
            self.work.async {
                let goesOn = container.way.withLock { way in
                    way.cancelNative = nil
                    return !way.isCancelled
                }
                guard goesOn else { return }
                if let answer { self.give(answer, to: container) } else { self.send(request, of: container) }
            }
        }
        container.way.withLock { way in
            way.cancelNative = {
                asking.cancel()
                self.end(container, URLError(.cancelled))
            }
        }
    }

    private func give(_ answer: NativeAnswer, to container: Container) {
        var container = container
        let body = container.request.httpMethod == "HEAD" ? Data() : answer.body
        container.exchange.status = answer.head.status
        container.exchange.byteCount = body.count
        let receive = container.receive
        container.hand {
            receive(.response(answer.head))
            if !body.isEmpty { receive(.data(body)) }
        }
        end(container, nil)
    }
}
