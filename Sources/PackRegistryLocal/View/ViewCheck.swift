import Foundation
import PackSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// When every file of the view was last looked for: the time of a file that is not there while a repair is under way.
struct ViewCheck {
    /// Seconds after which whoever opens the registry looks for every file again.
    static let interval: TimeInterval = 86_400

    let folder: RegistryFolder

    /// Whether every file was looked for lately, and no repair is under way.
    var isRecent: Bool {
        let path = folder.viewCheck.path(percentEncoded: false)
        guard let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date else {
            return false
        }
        return abs(date.timeIntervalSinceNow) < Self.interval
    }

    /// A repair that is interrupted is begun again: until its end the view counts as unchecked.
    func begin() throws {
        guard SystemCall.size(of: folder.viewCheck) != nil else { return }
        try FileManager.default.removeItem(at: folder.viewCheck)
        try SystemCall.synchronize(folder.root)
    }

    /// Everything in the view is durable before.
    func end() throws {
        close(try SystemCall.open(folder.viewCheck, O_WRONLY | O_CREAT))
    }
}
