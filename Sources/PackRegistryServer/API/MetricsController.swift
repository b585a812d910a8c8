import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PackFormat
import PackRegistry
import PackRegistryAPI

/// `GET /metrics`: the state of the server and of the registry for a monitor.
struct MetricsController {
    /// Of each gate its name in the metrics.
    typealias Gates = KeyValuePairs<String, ConcurrencyGate>

    let host: any RegistryHost
    let metrics: ServerMetrics
    let cache: FileCache
    let memory: BodyMemory
    let connections: ConnectionLimiter
    let gates: Gates
    /// What reads much passes here.
    let reads: ConcurrencyGate
    let bearer: Bearer
    /// Whether anybody may read it.
    let isOpen: Bool
    let operations: SharedAnswer<RegistryOperations>

    /// How long a scrape waits for the registry. Prometheus gives up after ten seconds.
    static let patience: Duration = .seconds(8)

    func addRoutes(to router: EndpointRouter) { router.add(Endpoints.metrics, respond) }

    @Sendable func respond(request: Request, context: RegistryRequestContext) async throws -> Response {
        if !isOpen { try await bearer.identity(of: request, context).require(.observe) }
        // What the server itself knows is most wanted while the registry cannot be read.
        let found = try await reads.pass {
            do { return try await operations.value() as RegistryOperations? } catch {
                context.logger.error("metrics: the registry cannot be read: \(error)")
                return nil
            }
        }
        var text = MetricsText()
        text.family(
            "packtool_info", .gauge, "The program and the app, in the labels.",
            [(["version": ProductVersion.text, "app": host.app], 1)])
        metrics.write(to: &text)
        writeServer(&text)
        text.gauge(
            "packtool_registry_readable", "1 while the registry's database can be read, otherwise 0.",
            found == nil ? 0 : 1)
        if let found { Self.write(found, &text) }
        Self.writeDisk(of: host.viewFolder, &text)
        Self.writeProcess(&text)
        return Response(
            status: .ok, headers: [.contentType: MetricsText.mediaType, .cacheControl: CacheControl.none],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text.text)))
    }

    private func writeServer(_ text: inout MetricsText) {
        text.gauge("packtool_connections", "Open connections.", connections.table.count)
        text.gauge("packtool_connections_limit", "The most open connections.", connections.limits.maximumConnections)
        let states = gates.map { ($0.key, $0.value.state) }
        text.family(
            "packtool_gate_running", .gauge, "Requests that are under way, by what is limited.",
            states.map { (["gate": $0.0], Double($0.1.running)) })
        text.family(
            "packtool_gate_limit", .gauge, "The most of them; more get 503.",
            states.map { (["gate": $0.0], Double($0.1.limit)) })
        text.family(
            "packtool_gate_refused_total", .counter, "Requests that got 503 because the limit was reached.",
            states.map { (["gate": $0.0], Double($0.1.refused)) })
        text.gauge(
            "packtool_body_memory_free_bytes", "Memory for request bodies that no request holds.", memory.byteCountLeft)
        let use = cache.use
        text.family(
            "packtool_file_cache_requests_total", .counter, "Uses of a file of the view: known already, or read.",
            [(["outcome": "hit"], Double(use.hits)), (["outcome": "read"], Double(use.reads))])
        text.gauge("packtool_file_cache_bytes", "Bytes of files that are kept in memory.", use.byteCount)
        text.gauge("packtool_file_cache_files", "Files that are known.", use.fileCount)
    }

    private static func write(_ operations: RegistryOperations, _ text: inout MetricsText) {
        text.family(
            "packtool_queue_packages", .gauge,
            "Packages for which something may still have to be made: downloads and patches, and compressed sites.",
            [
                (["queue": "downloads"], Double(operations.waitingPackages)),
                (["queue": "sites"], Double(operations.waitingSites)),
            ])
        text.gauge("packtool_artifacts_in_work", "Downloads and patches that are being made.", operations.filesInWork)
        text.gauge(
            "packtool_patch_requests_waiting", "Requests that wait for a patch.", operations.waitingRequests)
        let rollouts = operations.rollouts.map { status -> (labels: MetricsText.Labels, status: RolloutStatus) in
            (
                [
                    "package": status.package.text, "channel": status.channel.text,
                    "version": status.version?.description ?? "embedded", "state": status.state.rawValue,
                ], status
            )
        }
        text.family(
            "packtool_rollout_share_ratio", .gauge,
            "The share of the devices that a rollout with a plan has now, by its state.",
            rollouts.map { ($0.labels, Double($0.status.share.tenThousandths) / 10_000) })
        text.family(
            "packtool_rollout_state_since_timestamp_seconds", .gauge, "Since when a rollout is in its state.",
            rollouts.map { ($0.labels, $0.status.since.timeIntervalSince1970.rounded()) })
        let signatures = operations.signatures.sorted { $0.key < $1.key }
        text.family(
            "packtool_signature_expiry_timestamp_seconds", .gauge, "Until when devices accept a signed document.",
            signatures.map { (["role": $0.key], $0.value.expires.timeIntervalSince1970.rounded()) })
        let now = Date()
        text.family(
            "packtool_signature_expiry_seconds", .gauge, "Seconds until then; negative once it is over.",
            signatures.map { (["role": $0.key], $0.value.expires.timeIntervalSince(now).rounded()) })
    }

    /// Of a registry in S3-compatible storage the folder has copies.
    private static func writeDisk(of folder: URL, _ text: inout MetricsText) {
        guard let disk = try? FileManager.default.attributesOfFileSystem(forPath: folder.path) else { return }
        if let free = disk[.systemFreeSize] as? Int {
            text.gauge("packtool_disk_free_bytes", "Free bytes where the registry's files or their copies are.", free)
        }
        if let size = disk[.systemSize] as? Int {
            text.gauge("packtool_disk_size_bytes", "The size of that file system.", size)
        }
    }

    private static func writeProcess(_ text: inout MetricsText) {
        let use = ProcessState.read()
        if let memory = use.residentByteCount {
            text.gauge("process_resident_memory_bytes", "Memory of the process.", memory)
        }
        if let files = use.openFileCount { text.gauge("process_open_fds", "Open files and sockets.", files) }
        if let seconds = use.processorSeconds {
            text.family(
                "process_cpu_seconds_total", .counter, "Processor time of the process.", [([:], seconds)])
        }
        text.family(
            "process_start_time_seconds", .gauge, "When the process began to serve.",
            [([:], ProcessState.start.timeIntervalSince1970.rounded())])
    }
}
