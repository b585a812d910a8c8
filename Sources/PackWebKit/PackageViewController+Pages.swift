#if canImport(WebKit)
    import Foundation
    import PackFormat
    public import PackHost
    import PackWebOnline
    import WebKit

    /// The pages of the view: how they start, and what becomes of those that do not work.
    extension PackageViewController: TrialView {
        /// - Parameter page: the one that has started; nil before a navigation.
        func willShow(_ package: PackageID, _ page: StartedPage?) async {
            if let page {
                loads[package] = page.load
                if package == self.package { await trial.begin(page) }
            }
            let hook = services.hook(of: package, load: loads[package], handler: HookMessages.name)
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

        func didShow(_ url: URL) {
            shownCount += 1
            isShowingFailure = false
            lastStarted = navigation.page
            services.didShow(url.absoluteString)
        }

        // MARK: What the trial of a version asks

        public var isElsewhere: Bool {
            guard shownCount > 0, let url = webView?.url?.absoluteString else { return false }
            return !url.hasPrefix(services.origin(of: package) + "/")
        }

        public func load(of version: Digest) -> Int? { navigation.page?.digest == version ? shownCount : nil }

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
            switch fault {
            case .late(let version):
                leave(version, "the page was not confirmed in its time")
            case .hangs(let time):
                guard let page = navigation.page else { return }
                leave(page.digest, "the page hangs: it has not answered for \(time.components.seconds) s")
            }
        }

        /// Goes back where the version was never confirmed, or only just now: the trial decides.
        private func leave(_ version: Digest, _ reason: String, orElse: @escaping @MainActor () -> Void = {}) {
            Task {
                do {
                    guard let left = try await trial.goBack(from: version, reason: reason) else {
                        orElse()
                        return
                    }
                    loads[package] = nil
                    try? await host.refresh()
                    didHappen?(.wentBack(left))
                    // The process of a page that hangs would run its successor: another view has another one.
                    services.bridge.pageEnded()
                    view = makeView()
                    load(services.address(of: package, path: configuration.path))
                } catch {
                    didHappen?(.failed(error))
                    orElse()
                }
            }
        }

        // MARK: Failures

        func loadFailed(_ failed: FailedLoad) {
            didHappen?(.failed(FailedNavigation(load: failed)))
            // The page that says so is no navigation to say anything of.
            guard !isShowingFailure else {
                isShowingFailure = false
                return
            }
            guard let page = navigation.page, page.package == package else {
                show(failed)
                return
            }
            leave(page.digest, "\(failed.url) did not load: \(failed.reason)") { [weak self] in self?.show(failed) }
        }

        /// The system ends the processes of views to get their memory. It says nothing about the version, whose next
        /// start is counted if it is not confirmed yet. A page whose process ends again and again is left.
        func processEnded() {
            services.bridge.pageEnded()
            guard ends.showsAgain() else {
                let reason = "the page's process has ended again and again"
                let failed = FailedLoad(EndedAgain(), at: lastPage)
                if let page = lastStarted, page.package == package {
                    leave(page.digest, reason) { [weak self] in self?.show(failed) }
                } else {
                    show(failed)
                }
                return
            }
            isEmpty = true
            if viewIfLoaded?.window != nil { showAgain() }
        }

        func showAgain() {
            guard isEmpty else { return }
            isEmpty = false
            load(services.address(of: package, path: configuration.path, restoring: lastPage))
        }
    }

    private struct FailedNavigation: Error, CustomStringConvertible {
        let load: FailedLoad
        var description: String { "\(load.url) did not load: \(load.reason)" }
    }

    private struct EndedAgain: LocalizedError {
        var errorDescription: String? { "The page has ended again and again." }
    }
#endif
