import PackRegistryAPI

/// What a server counts of its requests. A request costs two atomic additions.
package final class ServerMetrics: Sendable {
    /// What a request is for; a closed list, so that nobody can make a monitor keep many series.
    enum Kind: Int, CaseIterable, Sendable {
        case timestamp, metadata, targets, objects, patches, packages, site, api, reports, adapters, dashboard, health,
            other

        /// - Parameter path: of the request, with or without a slash at its start.
        init(path: String) {
            let path = path.utf8.first == UInt8(ascii: "/") ? path.dropFirst() : path[...]
            if path == "metadata/timestamp.json" {
                self = .timestamp
                return
            }
            switch Substring(path.utf8.prefix { $0 != UInt8(ascii: "/") }) {
            case "metadata": self = .metadata
            case "targets": self = .targets
            case "objects": self = .objects
            case "patches": self = .patches
            case "packages": self = .packages
            case "site": self = .site
            case "v1" where path.hasPrefix("v1/apps/"): self = .adapters
            case "v1": self = path == "v1/reports" ? .reports : .api
            case "adapters", "offline", "reportStatus", "updateCheck", "v0.1": self = .adapters
            case "dashboard", "": self = .dashboard
            case "health", "metrics": self = .health
            default: self = .other
            }
        }

        var name: String { "\(self)" }
    }

    private struct Series: Sendable {
        /// By the first digit of the status.
        let requests = (0..<6).map { _ in Counter() }
        let byteCount = Counter()
        let durations = DurationHistogram()
    }

    private let series = Kind.allCases.map { _ in Series() }
    /// Patches that a device asked for before they were there: made for it, not to be had, and more than can be made.
    let patchesMade = Counter()
    let patchesAbsent = Counter()
    let patchesBusy = Counter()
    let reportBatches = Counter()
    let reportsAccepted = Counter()
    let reportsDuplicate = Counter()
    let reportsUnknown = Counter()
    let reportsNeverOffered = Counter()
    /// Batches that were refused: not understood, and over a cap.
    let reportBatchesInvalid = Counter()
    let reportBatchesCapped = Counter()

    package init() {}

    func count(_ kind: Kind, status: Int, byteCount: Int) {
        let series = series[kind.rawValue]
        series.requests[min(max(status / 100, 0), 5)].add()
        series.byteCount.add(byteCount)
    }

    /// - Parameter duration: until the answer begins.
    func count(_ kind: Kind, status: Int, byteCount: Int, _ duration: Duration) {
        count(kind, status: status, byteCount: byteCount)
        series[kind.rawValue].durations.add(duration)
    }

    func write(to text: inout MetricsText) {
        text.family(
            "packtool_http_requests_total", .counter,
            "Answered requests by what they were for and the class of the status.",
            Kind.allCases.flatMap { kind in
                (1...5).compactMap { digit in
                    let count = series[kind.rawValue].requests[digit].value
                    return count == 0 ? nil : (["kind": kind.name, "status": "\(digit)xx"], Double(count))
                }
            })
        text.family(
            "packtool_http_response_bytes_total", .counter, "Bytes of the answers' bodies.",
            Kind.allCases.map { (["kind": $0.name], Double(series[$0.rawValue].byteCount.value)) })
        text.histogram(
            "packtool_http_request_duration_seconds",
            "Time until an answer begins. Files of the view that are answered from memory are not measured.",
            Kind.allCases.map { (["kind": $0.name], series[$0.rawValue].durations) })
        text.family(
            "packtool_patch_requests_total", .counter,
            "Requests for a patch that did not exist yet: made, absent (none may be made, or it took too long), busy.",
            [
                (["outcome": "made"], Double(patchesMade.value)), (["outcome": "absent"], Double(patchesAbsent.value)),
                (["outcome": "busy"], Double(patchesBusy.value)),
            ])
        text.family(
            "packtool_report_batches_total", .counter, "Batches of reports by what became of them.",
            [
                (["outcome": "accepted"], Double(reportBatches.value)),
                (["outcome": "invalid"], Double(reportBatchesInvalid.value)),
                (["outcome": "capped"], Double(reportBatchesCapped.value)),
            ])
        text.family(
            "packtool_report_events_total", .counter, "Events of accepted batches by what became of them.",
            [
                (["outcome": "accepted"], Double(reportsAccepted.value)),
                (["outcome": "duplicate"], Double(reportsDuplicate.value)),
                (["outcome": "unknown"], Double(reportsUnknown.value)),
                (["outcome": "neverOffered"], Double(reportsNeverOffered.value)),
            ])
    }
}
