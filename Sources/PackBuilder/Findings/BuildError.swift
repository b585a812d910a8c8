import Foundation
package import PackFormat

/// Why a build failed. Nothing was written.
package enum BuildError: Error, Sendable, CustomStringConvertible {
    case noDist
    case isProject(String, because: String, hint: String?)
    case notAFolder(String)
    case unreadable(String, reason: String)
    case outUnusable(String, isFile: Bool)
    case outIsDist(String)
    case outInDist(String, dist: String)
    case emptyDist(String, leftOut: Int)
    case configuration(file: String, line: Int, column: Int, reason: String)
    case noPackageID(dist: String)
    case noVersion(dist: String)
    case invalid(String, source: String)
    case countMismatch(option: String, given: Int, dists: Int)
    case samePackage(PackageID, first: String, second: String)
    case overLimit(String, limit: Int, found: Int)
    case tooManyFiles(String, limit: Int)
    case linkOutside(String, target: String)
    case brokenLink(String)
    case linkToFolder(String)
    case specialFile(String)
    case nameNotUTF8(folder: String)
    case reservedName(String)
    case bundleIsPackage(PackageID)
    case refused([Finding])

    /// A text such as `1 error, nothing was written`.
    package static func countText(_ findings: [Finding]) -> String {
        let count = findings.count { $0.severity == .error }
        return "\(count) \(count == 1 ? "error" : "errors"), nothing was written"
    }

    package var description: String {
        switch self {
        case .noDist:
            "no folder to build: say packtool build ./dist, or set \"dist\": \"dist\" in packtool.json"
        case .isProject(let path, let sign, let hint):
            "\(path) is a project, not what its web build writes: there is \(sign). Give that folder"
                + (hint.map { ", such as \(path == "." ? $0 : path + "/" + $0)" } ?? "")
                + ", or say --whole-project if all of this is the site"
        case .notAFolder(let path): "\(path) is not a folder: give the folder that your web build writes"
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
        case .outUnusable(let path, isFile: true): "\(path) is a file: give --out a folder for the packages"
        case .outUnusable(let path, isFile: false): "the folder \(path) cannot be made: check who may write above it"
        case .outIsDist(let path): "\(path) is the folder to build: give --out another one for the packages"
        case .outInDist(let path, let dist):
            "the packages would go to \(path), inside the folder to build, \(dist): give --out, or run this in the folder above"
        case .emptyDist(let path, 0): "\(path) is empty: run your web build first"
        case .emptyDist(let path, let count):
            "\(path) has nothing to pack: \(CountText.text(count, "entry is", plural: "entries are")) left out; re-include some with ! in .packignore"
        case .configuration(let file, let line, let column, let reason): "\(file):\(line):\(column): \(reason)"
        case .noPackageID(let dist):
            "no package id for \(dist): give --package, set \"package\" in packtool.json or \"name\" in package.json"
        case .noVersion(let dist):
            "no version for \(dist): give --package-version, set \"version\" in packtool.json or package.json"
        case .invalid(let reason, let source): "\(source): \(reason)"
        case .countMismatch(let option, let given, let dists):
            "\(option) is given \(CountText.text(given, "time")) for \(CountText.text(dists, "folder")): give it once for each, in the same order"
        case .samePackage(let id, let first, let second):
            "\(first) and \(second) would both be the package \"\(id)\": give each its own id with --package"
        case .overLimit(let path, let limit, let found):
            "\(path) has \(found) bytes and the limit is \(limit): leave it out with .packignore, or load it online"
        case .tooManyFiles(let path, let limit): "\(path) has more than \(limit) files, the most a package can have"
        case .linkOutside(let path, let target):
            "\(path) is a symbolic link to \(target), outside the folder: copy the file into the folder"
        case .brokenLink(let path): "\(path) is a symbolic link to nothing: remove it or leave it out with .packignore"
        case .linkToFolder(let path):
            "\(path) is a symbolic link to a folder: copy the folder, or leave the link out with .packignore"
        case .specialFile(let path): "\(path) is a device, FIFO or socket: only files can be packed"
        case .nameNotUTF8(let folder): "a file in \(folder) has a name that is not UTF-8: rename it"
        case .reservedName(let path):
            "\(path): \"\(Manifest.fileName)\" at the root is the manifest's name: rename the file"
        case .bundleIsPackage(let id):
            "the shared bundle has the name of the package \"\(id)\": choose another with \"shared\": {\"name\": …}"
        case .refused(let findings):
            ([Self.countText(findings)] + FindingSummary(findings, showsAll: false).lines).joined(separator: "\n")
        }
    }
}
