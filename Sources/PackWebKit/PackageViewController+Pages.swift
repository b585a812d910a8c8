#if canImport(WebKit)
    import Foundation
    import PackFormat
    public import PackHost
    import PackWebOnline
    import WebKit

    /// The pages of the view: how they start, and what becomes of those that do not work. `PageState` has the rules.
    extension PackageViewController: TrialView {
        /// - Parameter page: the one that has started; nil before a navigation.
        func willShow(_ package: PackageID, _ page: StartedPage?) async {
            if let page {
                await trial.begin(page)
            } else {
                await removeOldWorkers(of: package)
            }
            let load = navigation.state.loads[package]
            let hook = services.hook(of: package, load: load, handler: HookMessages.name)
            scripts[package] = hook.script(in: [services.origin(of: package)])
            putScripts()
        }

        /// The hook before the app's own scripts: those may send requests too.
        func putScripts() {
            guard let content = webView?.configuration.userContentController else { return }
            content.removeAllUserScripts()
            let hooks = scripts.sorted { $0.key < $1.key }.map(\.value)
            for source in hooks + configuration.startScripts {
                content.addUserScript(
                    WKUserScript(source: source, injectionTime: .atDocumentStart, forMainFrameOnly: false))
            }
        }

        // MARK: What the trial of a version asks

        public var isElsewhere: Bool { navigation.state.isElsewhere }

        public func load(of version: Digest) -> Int? { navigation.state.load(of: version) }

        public func isAnswering(within time: Duration) async -> Bool {
            guard let webView else { return false }
            return await withCheckedContinuation { continuation in
                let waiter = FirstAnswer(continuation)
                webView.evaluateJavaScript("0") { _, _ in waiter.resume(true) }
                Task {
                    try? await Task.sleep(for: time)
                    waiter.resume(false)
                }
            }
        }

        public func versionFailed(_ fault: TrialFault) {
            if let failure = navigation.state.failed(fault) { pageFailed(failure) }
        }

        // MARK: Failures

        /// Goes back where the version was never confirmed, or only just now: the trial decides. Otherwise a page says
        /// what did not load; a page that is there stays.
        func pageFailed(_ failure: PageFailure, _ failed: FailedLoad? = nil) {
            didHappen?(.failed(FailedPage(failure: failure)))
            Task {
                if let suspect = failure.suspect, await goBack(from: suspect, reason: failure.reason) { return }
                guard let failed, navigation.state.attempt.number == failure.attempt else { return }
                show(failed)
            }
        }

        /// - Returns: whether another version is shown now.
        private func goBack(from suspect: Digest, reason: String) async -> Bool {
            do {
                guard let left = try await trial.goBack(from: suspect, reason: reason) else { return false }
                navigation.state.forgetLoad(of: package)
                try? await host.refresh()
                didHappen?(.wentBack(left))
                // The process of a page that hangs would run its successor: another view has another one.
                services.bridge.pageEnded()
                webView?.navigationDelegate = nil
                view = makeView()
                load(startAddress)
                return true
            } catch {
                didHappen?(.failed(error))
                return false
            }
        }

        /// - Parameter failure: nil if the last page is to be shown again.
        func processEnded(_ failure: PageFailure?) {
            services.bridge.pageEnded()
            if let failure {
                pageFailed(failure, FailedLoad(EndedAgain(), at: lastPage))
            } else if viewIfLoaded?.window != nil {
                showAgain()
            }
        }

        func showAgain() {
            guard navigation.state.takeEmpty() else { return }
            load(services.address(of: package, path: path, restoring: lastPage))
        }
    }

    private struct FailedPage: Error, CustomStringConvertible {
        let failure: PageFailure
        var description: String { failure.reason }
    }

    private struct EndedAgain: LocalizedError {
        var errorDescription: String? { "The page has ended again and again." }
    }
#endif
