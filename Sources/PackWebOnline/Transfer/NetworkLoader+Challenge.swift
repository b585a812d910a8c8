import PackFormat

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Who answers a server that asks for a password or a certificate, or whose own certificate the system refuses.
extension NetworkLoader {
    /// The app's answer to a challenge (`URLSessionTaskDelegate`). `.performDefaultHandling` leaves it to the system.
    public typealias ChallengeAnswer =
        @Sendable (URLAuthenticationChallenge) async -> (
            URLSession.AuthChallengeDisposition, URLCredential?
        )

    #if canImport(Darwin)
        func answer(
            _ challenge: URLAuthenticationChallenge, of task: URLSessionTask,
            _ completion: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            guard let challenged else {
                completion(.performDefaultHandling, nil)
                return
            }
            Task {
                let (disposition, credential) = await challenged(challenge)
                completion(disposition, credential)
            }
        }
    #else
        /// An answer 401 that the app may turn into another one. Foundation on Linux delivers it before it asks
        /// (6.3), so it waits here.
        struct Held: Sendable {
            /// A larger body is delivered, and the app is not asked.
            static let largestBody = 1 << 20

            let head: TransferHead
            var body = Data()
        }

        /// Foundation on Linux asks for passwords only, and never ends a request for which nobody has one (6.3,
        /// swift-corelibs-foundation issue 5456). Its answer and body have come by then, so it is complete.
        func answer(
            _ challenge: URLAuthenticationChallenge, of task: URLSessionTask,
            _ completion: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let id = ObjectIdentifier(task)
            guard challenge.proposedCredential == nil else {
                // Foundation sends the request again.
                containers.withLock { $0[id]?.held = nil }
                completion(.performDefaultHandling, nil)
                return
            }
            guard let challenged, containers.withLock({ $0[id]?.held }) != nil else {
                giveUp(task, completion)
                return
            }
            Task {
                let (disposition, credential) = await challenged(challenge)
                self.work.async {
                    guard self.containers.withLock({ $0[id] })?.way.withLock({ $0.isCancelled }) == false else {
                        return
                    }
                    guard disposition == .useCredential, let credential else {
                        self.giveUp(task, completion)
                        return
                    }
                    self.containers.withLock { $0[id]?.held = nil }
                    completion(.useCredential, credential)
                }
            }
        }

        private func giveUp(
            _ task: URLSessionTask,
            _ completion: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let container = containers.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
            if let container { end(container, nil) }
            completion(.cancelAuthenticationChallenge, nil)
        }

        /// - Returns: whether the answer waits for the app's word on its challenge.
        func holds(_ response: HTTPURLResponse, of task: URLSessionTask) -> Bool {
            guard challenged != nil, response.statusCode == 401,
                response.value(forHTTPHeaderField: "WWW-Authenticate") != nil
            else { return false }
            containers.withLock { $0[ObjectIdentifier(task)]?.held = Held(head: TransferHead(response)) }
            return true
        }

        /// - Returns: whether the data waits too.
        func holds(_ data: Data, of task: URLSessionTask) -> Bool {
            let (isHeld, released) = containers.withLock { containers -> (Bool, Held?) in
                let id = ObjectIdentifier(task)
                guard var held = containers[id]?.held else { return (false, nil) }
                held.body += data
                let isTooLarge = held.body.count > Held.largestBody
                containers[id]?.held = isTooLarge ? nil : held
                if isTooLarge { containers[id]?.exchange.byteCount += held.body.count }
                return (true, isTooLarge ? held : nil)
            }
            if let released {
                receive(.response(released.head), for: task)
                receive(.data(released.body), for: task)
            }
            return isHeld
        }
    #endif
}
