package import Foundation
import PackFormat
import PackHTTP
import PackRegistryAPI
import PackTrust

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Looks at a registry behind a URL as devices and caches see it: TLS, what is in front of it, and how it answers reads.
package struct ServerDoctor: Sendable {
    private static let clockTolerance: TimeInterval = 300

    private let base: URL
    private let probe = HTTPProbe()
    private let now: @Sendable () -> Date

    package init(_ base: URL, now: @escaping @Sendable () -> Date = { Date() }) {
        self.base = base
        self.now = now
    }

    package func examine() async -> [DoctorFinding] {
        let timestamp: HTTPProbe.Answer
        do {
            timestamp = try await get("metadata/timestamp.json")
        } catch {
            return [unreachable(error)]
        }
        var findings = [transport()]
        guard timestamp.status == 200 else {
            return findings + [
                .error(
                    .registry, shown("metadata/timestamp.json"), "the answer is \(timestamp.status)",
                    fix: "give the base URL of a registry; a redirect or a page of a proxy is none")
            ]
        }
        findings.append(clock(timestamp))
        findings.append(cache(of: timestamp))
        findings.append(await freshness(timestamp))
        findings.append(await conditions(timestamp))
        findings.append(await coding())
        findings += await immutable()
        findings.append(headers(timestamp))
        return findings
    }

    // MARK: The connection

    private func transport() -> DoctorFinding {
        let host = base.host() ?? ""
        if base.scheme?.lowercased() == "https" { return .ok(.tls, host, "HTTPS") }
        if LoopbackName.isOne(host) { return .ok(.tls, host, "plain HTTP on this machine") }
        return .warning(
            .tls, host, "plain HTTP: anybody on the way reads tokens, and sees what devices load",
            fix:
                "give packtool serve --tls-certificate and --tls-key, or put a TLS proxy in front (packtool init --template nginx)"
        )
    }

    private func unreachable(_ error: any Error) -> DoctorFinding {
        guard let refusal = CertificateRefusal(error) else {
            return .error(
                .registry, base.absoluteString, "it does not answer: \(error.localizedDescription)",
                fix: "check the address, the firewall, and that packtool serve runs")
        }
        return .error(
            .tls, base.absoluteString, "the certificate is refused: \(error.localizedDescription)", fix: refusal.advice)
    }

    private func clock(_ answer: HTTPProbe.Answer) -> DoctorFinding {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        guard let text = answer.fields["date"], let date = format.date(from: text) else {
            return .warning(
                .clock, base.absoluteString, "it sends no Date", fix: "let the proxy pass or set the Date field")
        }
        let difference = date.timeIntervalSince(now())
        guard abs(difference) > Self.clockTolerance else {
            return .ok(.clock, base.absoluteString, "both clocks agree")
        }
        return .error(
            .clock, base.absoluteString,
            "its clock is \(Int(abs(difference))) seconds \(difference > 0 ? "ahead of" : "behind") this machine's",
            fix: "set both by NTP: a signature is made, and refused, by the clock")
    }

    // MARK: Caches in front

    private func cache(of answer: HTTPProbe.Answer) -> DoctorFinding {
        let name = shown("metadata/timestamp.json")
        let control = answer.fields["cache-control"] ?? ""
        let fix =
            "take metadata/timestamp.json out of the cache: only it changes under its name (docs/HTTP-API.md#reading)"
        if let age = answer.fields["age"].flatMap({ Int($0) }), age > 0 {
            return .error(.timestampCache, name, "a cache kept it for \(age) seconds", fix: fix)
        }
        if let hit = ["x-cache", "x-cache-status", "cf-cache-status"].compactMap({ answer.fields[$0] }).first(
            where: { $0.uppercased().contains("HIT") })
        {
            return .error(.timestampCache, name, "it came from a cache (\(hit))", fix: fix)
        }
        guard control.contains("no-cache") || control.contains("no-store") || control.contains("max-age=0") else {
            return .error(
                .timestampCache, name, "Cache-Control is \"\(control)\": caches and devices may keep it", fix: fix)
        }
        return .ok(.timestampCache, name, "caches ask each time (\(control))")
    }

    /// A request that no cache has seen must get the same as one that it may have kept.
    private func freshness(_ kept: HTTPProbe.Answer) async -> DoctorFinding {
        let name = shown("metadata/timestamp.json")
        func version(_ answer: HTTPProbe.Answer) -> Int? {
            (try? SignedDocument<TimestampMetadata>(parsing: Array(answer.body), name: "timestamp"))?.body.version
        }
        do {
            let fresh = try await get("metadata/timestamp.json?doctor=\(UInt64.random(in: 0 ... .max))")
            guard fresh.status == 200, let old = version(kept), let new = version(fresh) else {
                return .warning(
                    .timestampFresh, name, "it could not be compared (answer \(fresh.status))",
                    fix: "let requests with a query through to the registry")
            }
            guard old >= new else {
                return .error(
                    .timestampFresh, name, "a cache shows version \(old), and the registry has \(new)",
                    fix: "take metadata/timestamp.json out of the cache and purge it")
            }
            return .ok(.timestampFresh, name, "version \(new), as the registry has it")
        } catch {
            return unreachable(error)
        }
    }

    private func conditions(_ answer: HTTPProbe.Answer) async -> DoctorFinding {
        let name = shown("metadata/timestamp.json")
        let fix = "let ETag and If-None-Match through: without them each device loads metadata anew at each check"
        guard let tag = answer.fields["etag"] else {
            return .warning(.conditionalRequests, name, "it has no ETag", fix: fix)
        }
        do {
            let again = try await get("metadata/timestamp.json", ["If-None-Match": tag])
            guard again.status != 304 else {
                return .ok(.conditionalRequests, name, "unchanged files are answered by 304")
            }
            // Something was published in between.
            if again.fields["etag"] != tag { return .ok(.conditionalRequests, name, "it changes just now") }
            return .warning(.conditionalRequests, name, "If-None-Match gets \(again.status)", fix: fix)
        } catch {
            return unreachable(error)
        }
    }

    private func coding() async -> DoctorFinding {
        let name = shown("metadata/1.root.json")
        do {
            let answer = try await get("metadata/1.root.json", ["Accept-Encoding": "gzip, br, zstd"])
            guard let coding = answer.fields["content-encoding"], coding.lowercased() != "identity" else {
                return .ok(.contentCoding, name, "files of the view come as they are")
            }
            return .warning(
                .contentCoding, name, "something in front compresses it (\(coding))",
                fix:
                    "switch compression off for metadata, targets, objects and patches: devices compare their bytes with signed digests"
            )
        } catch {
            return unreachable(error)
        }
    }

    /// Files that never change under their name: the first root.
    private func immutable() async -> [DoctorFinding] {
        let name = shown("metadata/1.root.json")
        do {
            let whole = try await get("metadata/1.root.json")
            let part = try await get("metadata/1.root.json", ["Range": "bytes=0-9"])
            let control = whole.fields["cache-control"] ?? ""
            let isRanged = part.status == 206 && part.body.count == 10 && part.fields["content-range"] != nil
            return [
                isRanged
                    ? .ok(.ranges, name, "parts of files can be loaded")
                    : .warning(
                        .ranges, name, "a Range gets \(part.status)",
                        fix: "let Range through: without it a download that broke off begins anew"),
                control.contains("immutable") || control.contains("max-age=31536000")
                    ? .ok(.immutableCache, name, "caches may keep it (\(control))")
                    : .warning(
                        .immutableCache, name, "Cache-Control is \"\(control)\"",
                        fix:
                            "let the registry's Cache-Control through: all files but timestamp.json and full.zst keep for ever"
                    ),
            ]
        } catch {
            return [unreachable(error)]
        }
    }

    private func headers(_ answer: HTTPProbe.Answer) -> DoctorFinding {
        let wanted = ["x-content-type-options": "nosniff", "access-control-allow-origin": "*"]
        let missing = wanted.filter { answer.fields[$0.key]?.lowercased() != $0.value }.keys.sorted()
        guard !missing.isEmpty else { return .ok(.headers, base.absoluteString, "header fields arrive") }
        return .warning(
            .headers, base.absoluteString,
            "\(missing.joined(separator: " and ")) \(missing.count == 1 ? "is" : "are") missing",
            fix: "let the registry's header fields through, or set them where the view is served")
    }

    // MARK: Requests

    private func get(_ path: String, _ fields: [String: String] = [:]) async throws -> HTTPProbe.Answer {
        guard let url = URL(string: shown(path)) else { throw URLError(.badURL) }
        return try await probe.get(url, fields)
    }

    private func shown(_ path: String) -> String {
        var text = base.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        return "\(text)/\(path)"
    }
}
