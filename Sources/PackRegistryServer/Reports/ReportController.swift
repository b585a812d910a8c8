import Foundation
import HTTPTypes
import Hummingbird
import PackFormat
import PackRegistry
import PackRegistryAPI
import Synchronization

/// Takes what devices report, and answers what is asked about it.
struct ReportController {
    private let host: any RegistryHost
    /// Whether reports are taken at all.
    let isOpen: Bool
    private let proxies: TrustedProxies
    private let memory: BodyMemory
    private let reads: ConcurrencyGate
    private let writes: ConcurrencyGate
    private let caps: ReportCapTable
    private let offered: OfferedVersionCache
    private let metrics: ServerMetrics

    /// - Parameter writes: how many reports are being stored.
    init(
        host: any RegistryHost, limits: ServerLimits, memory: BodyMemory, reads: ConcurrencyGate,
        writes: ConcurrencyGate, metrics: ServerMetrics
    ) {
        self.host = host
        isOpen = limits.takesReports
        proxies = limits.trustedProxies
        self.memory = memory
        self.reads = reads
        self.writes = writes
        self.metrics = metrics
        caps = ReportCapTable(limits.reportCaps)
        offered = OfferedVersionCache(host: host)
    }

    func addRoutes(to router: EndpointRouter) {
        router.add(Endpoints.reports, receive)
        router.router.on(RouterPath(Endpoints.reports.path), method: .options, use: preflight)
        router.add(Endpoints.stats, gate: reads) { call, _ in
            try await call.registry.stats(Self.query(call))
        }
        router.add(Endpoints.deviceReports, gate: reads) { call, _ in
            try await call.registry.reports(of: Self.sender(call))
        }
        router.add(Endpoints.deleteReports) { call, _ in
            try await call.registry.deleteReports(of: Self.sender(call))
        }
    }

    // MARK: Taking

    @Sendable func receive(request: Request, context: RegistryRequestContext) async throws -> Response {
        // A small body that becomes a large one is refused before it is read.
        if let coding = request.headers[.contentEncoding], coding.lowercased() != "identity" {
            throw Problem(
                .unsupportedMediaType, kind: RegistryError.Kind.invalid.rawValue,
                "a report is sent without a Content-Encoding")
        }
        try request.requireJSON()
        guard isOpen, let store = host.reports else { throw Self.closed }
        let receipt = try await writes.pass {
            let bytes = try await memory.bytes(of: request, context, upTo: ReportBatch.maximumByteCount)
            let batch: ReportBatch
            do { batch = try PlainReportReader.read(bytes) ?? ReportBatch(parsing: bytes) } catch {
                metrics.reportBatchesInvalid.add()
                throw Problem.badRequest("\(error)")
            }
            return try await add(batch, to: store, request, context)
        }
        var response = Response.json(receipt.json)
        response.headers[.accessControlAllowOrigin] = "*"
        return response
    }

    /// Takes what a client of another system told, in our form.
    func take(
        _ batch: ReportBatch, _ request: Request, _ context: RegistryRequestContext
    ) async throws -> ReportReceipt {
        guard isOpen, let store = host.reports else { throw Self.closed }
        return try await writes.pass { try await add(batch, to: store, request, context) }
    }

    private func add(
        _ batch: ReportBatch, to store: any ReportStore, _ request: Request, _ context: RegistryRequestContext
    ) async throws -> ReportReceipt {
        let now = Int(host.now.timeIntervalSince1970)
        let network = try admit(batch, request, context, now: now)
        let (reports, judged) = try await ReportRule.judge(
            batch, offered: offered.covering(batch), received: now, network: network)
        var receipt = judged
        receipt.accepted = try await store.add(reports)
        receipt.duplicates = reports.events.count - receipt.accepted
        count(receipt)
        return receipt
    }

    private static var closed: Problem {
        .notFound("this registry takes no reports: it is served with --reports off")
    }

    private func count(_ receipt: ReportReceipt) {
        metrics.reportBatches.add()
        metrics.reportsAccepted.add(receipt.accepted)
        metrics.reportsDuplicate.add(receipt.duplicates)
        metrics.reportsUnknown.add(receipt.unknown)
        metrics.reportsNeverOffered.add(receipt.neverOffered)
    }

    /// - Returns: the sender's network.
    private func admit(
        _ batch: ReportBatch, _ request: Request, _ context: RegistryRequestContext, now: Int
    ) throws -> [UInt8]? {
        let client = context.peer.flatMap { proxies.client(of: $0, request.headers) }
        let count = batch.events.count + batch.unknownCount
        guard let seconds = caps.admit(count, of: batch.sender, from: client?.network, now: now) else {
            return client?.network
        }
        metrics.reportBatchesCapped.add()
        throw Problem.tooManyRequests(
            "more events came from this sender or its network than are accepted in an hour", seconds: seconds)
    }

    /// A web page of another origin asks first whether it may send JSON.
    @Sendable func preflight(request: Request, context: RegistryRequestContext) async throws -> Response {
        var fields: HTTPFields = [.accessControlAllowOrigin: "*", .cacheControl: CacheControl.none]
        fields[.accessControlAllowMethods] = "POST"
        fields[.accessControlAllowHeaders] = "Content-Type"
        fields[.accessControlMaxAge] = "86400"
        return Response(status: .noContent, headers: fields)
    }

    // MARK: Answering

    private static func query(_ call: EndpointCall) throws -> StatsQuery {
        var query = try StatsQuery(channel: ChannelName(call.value("channel")))
        let parameters = call.request.uri.queryParameters
        query.package = try parameters["package"].map { try PackageID(String($0)) }
        query.days = try number(parameters["days"], query.days, "days")
        query.windowHours = try number(parameters["window"], query.windowHours, "window")
        return query
    }

    private static func number(_ text: Substring?, _ otherwise: Int, _ name: String) throws -> Int {
        guard let text else { return otherwise }
        guard let number = Int(text) else { throw Problem.badRequest("\(name) must be a number") }
        return number
    }

    private static func sender(_ call: EndpointCall) throws -> ReportID { try ReportID(call.value("id")) }
}

/// The caps of a server, for all its connections.
private final class ReportCapTable: Sendable {
    private let caps: Mutex<ReportCaps>

    init(_ limits: ReportCaps.Limits) {
        caps = Mutex(ReportCaps(limits))
    }

    func admit(_ count: Int, of sender: ReportID, from network: [UInt8]?, now: Int) -> Int? {
        caps.withLock { $0.admit(count, of: sender, from: network, now: now) }
    }
}
