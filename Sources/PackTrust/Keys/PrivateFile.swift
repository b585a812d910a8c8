#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// Files with private keys.
package enum PrivateFile {
    /// Refuses a key file that others on the machine can read or replace, because it may not be its owner's alone. As
    /// with ssh, nothing is signed with it until somebody has corrected that.
    /// - Throws: ``TrustError/invalidKey(reason:)`` with the command that settles it.
    package static func check(_ url: URL) throws(TrustError) {
        var status = stat()
        // What is no file (a pipe of the shell's, a device) or is not there is for the reader to judge.
        guard stat(url.path, &status) == 0, status.st_mode & 0o170000 == 0o100000, status.st_mode & 0o077 != 0 else {
            return
        }
        throw .invalidKey(
            reason:
                "others on this machine may use \(url.path) (its mode is 0\(String(status.st_mode & 0o777, radix: 8))): "
                + "run chmod 600 '\(url.path)', and replace the key if anybody else has been here (packtool keys rotate)"
        )
    }
}
