import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PackDashboard
import PackFormat
import PackRegistry
import PackRegistryAPI

/// The dashboard at `/`: pages for people, drawn here and readable without a script.
struct DashboardController {
    let host: any RegistryHost
    let sessions: DashboardSessions
    let cookie: DashboardCookie
    let check: BrowserCheck
    let memory: BodyMemory
    let clients: ClientLimits
    /// The other systems whose clients the server answers.
    let systems: [OtherSystem]
    /// What reads much passes here.
    let reads: ConcurrencyGate
    let writes: ConcurrencyGate

    /// - Parameter components: the parts of the path; none for `/`.
    func response(
        to request: Request, components: [String], _ context: RegistryRequestContext
    ) async throws -> Response {
        let response = try await answer(to: request, components: components, context)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(
        to request: Request, components: [String], _ context: RegistryRequestContext
    ) async throws -> Response {
        let path: DashboardPath
        do {
            path = try DashboardPath(components, FormBody.fields((request.uri.query ?? "").utf8))
        } catch let fault as DashboardFault {
            return answer(page(for: fault), status: status(of: fault), nil)
        }
        switch (request.method, path) {
        case (.get, .style), (.head, .style): return Self.file(DashboardStyle.text, "text/css; charset=utf-8")
        case (.get, .icon), (.head, .icon): return Self.file(DashboardStyle.icon, "image/svg+xml")
        case (.post, .signIn): return try await signIn(request, context)
        case (.post, .signOut): return try await signOut(request, context)
        case (.post, .perform): return try await perform(request, context)
        case (.get, .signIn), (.head, .signIn): return answer(PlainPages.signIn(), status: .ok, nil)
        case (.get, .signOut), (.get, .perform), (.head, .signOut), (.head, .perform):
            return Self.redirect(to: .home)
        case (.get, _), (.head, _): return try await show(path, request, context)
        default: throw Problem.methodNotAllowed([.get, .head, .post])
        }
    }

    // MARK: Reading

    private func show(
        _ path: DashboardPath, _ request: Request, _ context: RegistryRequestContext
    ) async throws -> Response {
        guard let (id, session, identity) = try await signedIn(request, context) else {
            return answer(PlainPages.signIn(), status: .unauthorized, nil)
        }
        guard BrowserCheck.isNavigation(request) else { return notANavigation() }
        let viewer = viewer(session, identity, notice: sessions.takeNotice(of: id))
        let pages = DashboardPages(host.registry(as: identity), viewer, systems: systems, now: Date())
        do {
            return answer(try await reads.pass { try await pages.page(path) }, status: .ok, viewer)
        } catch {
            return try failure(error, viewer)
        }
    }

    /// The session of a request, and who its token is for now. A session whose token is not valid any more ends.
    private func signedIn(
        _ request: Request, _ context: RegistryRequestContext
    ) async throws -> (String, DashboardSessions.Session, Identity)? {
        guard let id = cookie.id(in: request), let session = sessions.session(id) else { return nil }
        do {
            let identity = try await host.authenticate(session.secret)
            context.caller.note(identity)
            return (id, session, identity)
        } catch let error as RegistryError where error.kind == .unauthorized {
            sessions.end(id)
            return nil
        }
    }

    private func viewer(
        _ session: DashboardSessions.Session, _ identity: Identity, notice: String? = nil
    ) -> DashboardViewer {
        DashboardViewer(
            name: identity.name, scope: identity.scope, formToken: session.formToken, notice: notice)
    }

    // MARK: Forms

    private func signIn(_ request: Request, _ context: RegistryRequestContext) async throws -> Response {
        guard check.isOwnForm(request) else { return foreignForm(nil) }
        let secret = try await fields(request, context)["token"]?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        do {
            _ = try await host.authenticate(secret)
        } catch let error as RegistryError where error.kind == .unauthorized {
            if let seconds = clients.countInvalidToken(of: request, from: context.peer) {
                var response = answer(
                    PlainPages.signIn(fault: "Too many tokens were not valid. Try again in \(seconds) seconds."),
                    status: .tooManyRequests, nil)
                response.headers[.retryAfter] = String(seconds)
                return response
            }
            return answer(PlainPages.signIn(fault: "That did not work: \(error.message)."), status: .unauthorized, nil)
        }
        if let old = cookie.id(in: request) { sessions.end(old) }
        var response = Self.redirect(to: .home)
        response.headers[.setCookie] = cookie.setting(sessions.begin(secret))
        return response
    }

    private func signOut(_ request: Request, _ context: RegistryRequestContext) async throws -> Response {
        if let (id, session, identity) = try await signedIn(request, context) {
            let fields = try await fields(request, context)
            guard isOwn(request, fields, session) else { return foreignForm(viewer(session, identity)) }
            sessions.end(id)
        }
        var response = Self.redirect(to: .signIn)
        response.headers[.setCookie] = cookie.removing
        return response
    }

    private func perform(_ request: Request, _ context: RegistryRequestContext) async throws -> Response {
        guard let (id, session, identity) = try await signedIn(request, context) else {
            return answer(PlainPages.signIn(), status: .unauthorized, nil)
        }
        let viewer = viewer(session, identity)
        let fields = try await fields(request, context)
        guard isOwn(request, fields, session) else { return foreignForm(viewer) }
        do {
            let verb = try DashboardVerb(fields: fields)
            let desk = VerbDesk(host.registry(as: identity))
            let outcome = try await writes.pass {
                try await desk.perform(
                    verb, seen: fields[FormFields.stateName] ?? "", reason: fields[FormFields.reasonName] ?? "",
                    isEmergency: fields[FormFields.emergencyName] != nil)
            }
            switch outcome {
            case .done(let notice):
                sessions.setNotice(notice, of: id)
                return Self.redirect(to: verb.page)
            case .changedMeanwhile(let preview):
                let warning = "It changed since you looked, and nothing was done. This is what it would do now."
                return answer(preview.page(viewer, warning: warning), status: .conflict, viewer)
            case .needsReason(let preview):
                let warning = "Nothing was done: an emergency needs a reason, for those who were not asked."
                return answer(preview.page(viewer, warning: warning), status: .badRequest, viewer)
            }
        } catch {
            return try failure(error, viewer)
        }
    }

    private func isOwn(_ request: Request, _ fields: [String: String], _ session: DashboardSessions.Session) -> Bool {
        guard check.isOwnForm(request), let token = fields[FormFields.tokenName] else { return false }
        // Compared by digests, so that the time tells nothing of where they differ.
        return Digest(of: Array(token.utf8)) == Digest(of: Array(session.formToken.utf8))
    }

    private func fields(_ request: Request, _ context: RegistryRequestContext) async throws -> [String: String] {
        guard request.headers[.contentType]?.lowercased().hasPrefix(FormBody.mediaType) == true else {
            throw Problem(
                .unsupportedMediaType, kind: RegistryError.Kind.invalid.rawValue,
                "the body must be \(FormBody.mediaType)")
        }
        return try FormBody.fields(await memory.bytes(of: request, context, upTo: FormBody.maximumByteCount))
    }

    // MARK: Answers

    private func page(for fault: DashboardFault) -> DashboardPage {
        PlainPages.fault(fault.kind == .notFound ? "Not found" : "Not understood", fault.description)
    }

    private func status(of fault: DashboardFault) -> HTTPResponse.Status {
        fault.kind == .notFound ? .notFound : .badRequest
    }

    /// A page for what a person can do something about; anything else is the server's problem.
    private func failure(_ error: any Error, _ viewer: DashboardViewer) throws -> Response {
        if let fault = error as? DashboardFault { return answer(page(for: fault), status: status(of: fault), viewer) }
        let problem = Problem(error)
        guard problem.status.code < 500 || problem.status == .serviceUnavailable else { throw error }
        let title = problem.status == .forbidden ? "Not allowed" : "That did not work"
        return answer(PlainPages.fault(title, problem.detail), status: problem.status, viewer)
    }

    private func notANavigation() -> Response {
        answer(
            PlainPages.fault(
                "Open it in a tab",
                "The dashboard answers only pages that are opened in a tab of a current browser, over HTTPS or on this machine. "
                    + "Programs use the API (docs/HTTP-API.md)."),
            status: .forbidden, nil)
    }

    private func foreignForm(_ viewer: DashboardViewer?) -> Response {
        answer(
            PlainPages.fault(
                "Nothing was done",
                "The form did not come from a page of this dashboard, or its page was opened before you signed in. Open the page "
                    + "again. Behind a proxy, the Host field must reach the server, or --public-url must say the address. "
                    + "Programs use the API (docs/HTTP-API.md)."
            ),
            status: .forbidden, viewer)
    }

    private func answer(_ page: DashboardPage, status: HTTPResponse.Status, _ viewer: DashboardViewer?) -> Response {
        Response(
            status: status, headers: Self.headers("text/html; charset=utf-8", cache: CacheControl.none),
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: page.document(app: host.app, viewer))))
    }

    private static func file(_ text: String, _ type: String) -> Response {
        Response(
            status: .ok, headers: headers(type, cache: CacheControl.immutable),
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private static func redirect(to path: DashboardPath) -> Response {
        var fields = headers("text/plain", cache: CacheControl.none)
        fields[.location] = path.text
        return Response(status: .seeOther, headers: fields)
    }

    /// What a browser may do with a page: nothing but show it, with our style, and send its forms to us.
    private static func headers(_ type: String, cache: String) -> HTTPFields {
        var fields: HTTPFields = [.contentType: type, .cacheControl: cache]
        fields[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        let others = [
            "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        ]
        for (name, value) in others { HTTPField.Name(name).map { fields[$0] = value } }
        return fields
    }
}
