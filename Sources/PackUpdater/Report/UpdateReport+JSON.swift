import PackFormat
package import PackJSON

extension UpdateReport {
    /// As `packtool client update --json` prints it, and as apps in C get it.
    package var json: JSONObject {
        [
            "packages": .object(JSONObject(entries.map { ($0.package.text, .object($0.json)) })),
            "transfers": .array(transfers.map { .object($0.json) }),
        ]
    }
}

extension UpdateReport.Transfer {
    fileprivate var json: JSONObject {
        [
            "package": .string(package.text), "version": .string(version.description), "by": .string(way.rawValue),
            "bytes": .integer(byteCount), "size": .integer(size),
        ]
    }
}

extension UpdateReport.Entry {
    fileprivate var json: JSONObject {
        var json: JSONObject = ["why": .string(why)]
        if isMandatory { json["mandatory"] = true }
        if isShownAtOnce { json["showAtOnce"] = true }
        switch outcome {
        case .upToDate(let version):
            json["outcome"] = "up-to-date"
            json["version"] = version.map { .string($0.description) }
        case .staged(let version):
            json["outcome"] = "staged"
            json["version"] = .string(version.description)
        case .activated(let version):
            json["outcome"] = "activated"
            json["version"] = version.map { .string($0.description) }
        case .wouldInstall(let version):
            json["outcome"] = "would-install"
            json["version"] = .string(version.description)
        case .wouldGoBack(let version):
            json["outcome"] = "would-go-back"
            json["version"] = version.map { .string($0.description) }
        case .waiting(let version, let reason):
            json["outcome"] = "waiting"
            json["version"] = .string(version.description)
            json["reason"] = .string(reason)
        case .nothing: json["outcome"] = "nothing"
        case .failed(let reason):
            json["outcome"] = "failed"
            json["reason"] = .string(reason)
        }
        return json
    }
}

extension PackageStatus {
    /// As `packtool client status --json` prints it under the package's name, and as apps in C get it.
    package var json: JSONObject {
        var json: JSONObject = [
            "confirmed": .bool(isConfirmed), "starts": .integer(unconfirmedStarts), "enabled": .bool(isEnabled),
            "decision": .string(decision),
            "failures": .array(
                failures.map {
                    .object([
                        "version": .string($0.version.description), "release": $0.release.map { .string($0) } ?? .null,
                        "reason": .string($0.reason),
                    ])
                }),
        ]
        json["active"] = active.map { .string($0.description) }
        json["previous"] = previous.map { .string($0.description) }
        json["staged"] = staged.map { .string($0.description) }
        json["waitsFor"] = waitsFor.map { .string($0) }
        json["embedded"] = embedded.map { .string($0.description) }
        return json
    }
}
