package import PackFormat

/// What a deployment key of a CodePush app stands for.
package struct CodePushKey: Hashable, Sendable {
    /// The folder that the zips of a client's kind have at their root.
    package enum Folder: String, CaseIterable, Sendable {
        /// Cordova.
        case www
        /// Capacitor.
        case `public`
        /// React Native.
        case codePush = "CodePush"
    }

    package let package: PackageID
    package let channel: ChannelName
    package let folder: Folder

    package init(package: PackageID, channel: ChannelName, folder: Folder = .www) {
        self.package = package
        self.channel = channel
        self.folder = folder
    }

    /// A key that says it itself: `PACKAGE/CHANNEL`, or `PACKAGE/CHANNEL/FOLDER`.
    /// - Returns: nil for every other text.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 || parts.count == 3, let package = try? PackageID(parts[0]),
            let channel = try? ChannelName(parts[1]),
            let folder = parts.count == 3 ? Folder(rawValue: parts[2]) : .www
        else { return nil }
        self.init(package: package, channel: channel, folder: folder)
    }
}
