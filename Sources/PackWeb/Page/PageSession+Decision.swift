import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Android)
    import Android
#endif

/// Whether the package, the network or nobody answers a request.
extension PageSession {
    struct Decision {
        let way: SiteAnswer.Disposition
        let reason: SiteAnswer.Reason
        var detail: String?
    }

    func decide(_ request: SiteRequest) -> Decision {
        switch addresses.lookup(request.url) {
        case .refused(let fault):
            return refusal(fault, to: request)
        case .foreign:
            if let rule = foreignDenial(of: request.url) { return denial(by: rule, to: request) }
            return Decision(way: .online(request.url), reason: .foreign)
        case .site(let address):
            return decide(request, at: address)
        }
    }

    private func decide(_ request: SiteRequest, at address: SiteAddress) -> Decision {
        if let fault = SitePath.fault(of: address.path) { return refusal(fault, to: request) }
        guard settings.packages[address.package]?.isEnabled == true else {
            return online(
                request, at: address, because: .gate, else: 503, "\(address.package) is switched off",
                "The channel's feature gate for it is off, and no signed manifest names a web site of its own.")
        }
        let isRead = request.method == "GET" || request.method == "HEAD"
        let content = content(of: address.package)
        let found = content.flatMap { content -> (PackagePath, Manifest.File)? in
            if case .origin(let origin) = address.form, !content.manifest.origins.contains(origin) { return nil }
            let resolution = SitePath.resolve(address.path, in: content.manifest, wantsPage: request.wantsPage)
            if case .file(let path, let file) = resolution { return (path, file) }
            return nil
        }
        let host = WebURL(request.url)?.host ?? ""
        let file = found.map { (type: MediaType(of: $0.0), size: $0.1.size) }
        if let rule = rule(host: host, path: address.path, found: found?.0, file: file) {
            switch rule.action {
            case .local: break
            case .deny: return denial(by: rule, to: request)
            case .online:
                return online(
                    request, at: address, because: .rule, detail: rule.name, else: 404,
                    "\(address.path) is online only",
                    "The rule \"\(rule.name)\" sends it online, and the package's manifest lists no origins: it has no "
                        + "web site of its own.")
            }
        }
        if address.form.isOwn, let decision = service(request, at: address, content?.manifest) { return decision }
        guard let content else {
            let absence = settings.packages[address.package]?.absence
            return online(
                request, at: address, because: .notInstalled, else: absence?.isUnreachable == true ? 504 : 503,
                "\(address.package) is not on this device", absence?.why ?? "No version of it is installed.")
        }
        guard isRead else { return writeDecision(request, at: address) }
        if request.isWorkerScript, !content.manifest.wantsServiceWorker {
            let text =
                "\(content.manifest.package) \(content.manifest.version) may have no service worker: it would keep "
                + "old versions on the screen. A package that needs one says \"serviceWorker\": true in packtool.json"
            return Decision(way: .local(.message(403, text, to: request)), reason: .worker, detail: text)
        }
        guard let (path, file) = found else {
            // Below a real origin the server may know more than the package; a virtual domain has nothing behind it.
            if case .origin = address.form { return Decision(way: .online(request.url), reason: .notInVersion) }
            var text = "\(content.manifest.package) \(content.manifest.version) has no \"\(address.path)\""
            if request.wantsPage, SitePath.wouldBeRoute(address.path, in: content.manifest) {
                text += ". A single-page application opens its entry for it with \"spa\": true in packtool.json"
            }
            return Decision(way: .local(.message(404, text, to: request)), reason: .notInVersion, detail: text)
        }
        do {
            let location = try content.file(for: file.digest)
            // Asked first: what ends its coming between the two is here.
            let isInstalling = content.isInstalling
            let isHere = Self.size(of: location.path) == file.size
            guard isHere || isInstalling else {
                throw WebError.unreadableFile(location.path, reason: "it is missing or has the wrong size")
            }
            let response = SiteResponder(manifest: content.manifest)
                .response(to: request, path: path, file: file, at: location)
            if !isHere, case .file = response.body {
                let name = "\"\(path.text)\" of \(content.manifest.package) \(content.manifest.version)"
                let arrival = SiteArrival(response, of: file.digest, named: name, in: content, to: request)
                return Decision(way: .arriving(arrival), reason: .installing, detail: path.text)
            }
            return Decision(way: .local(response), reason: .installed, detail: path.text)
        } catch {
            return online(
                request, at: address, because: .damaged, detail: "\(error)", else: 500,
                "A file of \(address.package) is damaged",
                "\"\(path.text)\" of version \(content.manifest.version) is not what was installed. A repair mends it.")
        }
    }

    /// Judged by the path as it was sent and by the one of the file that it leads to, because `/a` leads to `/a.html`;
    /// the stricter holds.
    func rule(
        host: String, path: String, found: PackagePath?, file: (type: MediaType, size: Int)?
    ) -> WebRules.Rule? {
        let sent = settings.rules.rule(host: host, path: path, file: file)
        guard let found, sent?.action != .deny else { return sent }
        let real = settings.rules.rule(host: host, path: SitePath.requestPath(of: found), file: file)
        return (real?.action.strictness ?? 0) > (sent?.action.strictness ?? 0) ? real : sent
    }

    /// A path below an origin that no site can have, such as `/shop/private%2Fa`, is the server's to read: it is denied
    /// where what follows the prefix is.
    private func foreignDenial(of text: String) -> WebRules.Rule? {
        let rules = settings.rules
        guard !rules.rules.isEmpty, let url = WebURL(text) else { return nil }
        var paths = [url.path]
        if let rest = addresses.pathBelowOrigin(of: url) { paths.append(rest) }
        return paths.lazy.compactMap { rules.rule(host: url.host, path: $0, file: nil) }.first { $0.action == .deny }
    }

    private func writeDecision(_ request: SiteRequest, at address: SiteAddress) -> Decision {
        if case .origin = address.form { return Decision(way: .online(request.url), reason: .method) }
        let text = "a package answers GET and HEAD: send this request to the service's own address"
        return Decision(
            way: .local(.message(405, text, to: request, headers: ["allow": "GET, HEAD"])), reason: .method,
            detail: text)
    }

    private func refusal(_ fault: String, to request: SiteRequest) -> Decision {
        Decision(way: .local(.message(404, fault, to: request)), reason: .refused, detail: fault)
    }

    private func denial(by rule: WebRules.Rule, to request: SiteRequest) -> Decision {
        let response = SiteResponse.message(403, "the rule \"\(rule.name)\" denies it", to: request)
        return Decision(way: .local(response), reason: .rule, detail: rule.name)
    }

    /// The real URL where the request has one, else the package's own web site, else an error.
    private func online(
        _ request: SiteRequest, at address: SiteAddress, because reason: SiteAnswer.Reason, detail: String? = nil,
        else status: Int, _ title: String, _ text: String
    ) -> Decision {
        if case .origin = address.form {
            return Decision(way: .online(request.url), reason: reason, detail: detail)
        }
        if let prefix = settings.packages[address.package]?.origins.first {
            return Decision(way: .online(address.url(under: prefix)), reason: reason, detail: detail)
        }
        let page = SiteResponse.page(status, title: title, text, to: request)
        return Decision(way: .local(page), reason: reason, detail: detail ?? "\(title): \(text)")
    }

    private static func size(of path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }
}
