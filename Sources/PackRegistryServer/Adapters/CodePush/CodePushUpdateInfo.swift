import PackJSON

/// The answer to a check, in the words of newer and older clients.
struct CodePushUpdateInfo: Sendable {
    /// There is nothing to do.
    static let none = CodePushUpdateInfo()

    var isAvailable = false
    var isMandatory = false
    /// The app must be a newer one first; ``range`` says which.
    var needsNewerApp = false
    /// What the app brought is to run. The clients do not read it.
    var shouldRunBinary = false
    var label = ""
    var packageHash = ""
    /// Bytes of the download.
    var packageSize = 0
    var downloadURL = ""
    /// Versions of the app.
    var range = ""

    var json: JSONObject {
        [
            "description": "", "download_url": .string(downloadURL), "is_available": .bool(isAvailable),
            "is_mandatory": .bool(isMandatory), "label": .string(label), "package_hash": .string(packageHash),
            "package_size": .integer(packageSize), "should_run_binary_version": .bool(shouldRunBinary),
            "target_binary_range": .string(range), "update_app_version": .bool(needsNewerApp),
        ]
    }

    var olderJSON: JSONObject {
        [
            "appVersion": .string(range), "description": "", "downloadURL": .string(downloadURL),
            "isAvailable": .bool(isAvailable), "isMandatory": .bool(isMandatory), "label": .string(label),
            "packageHash": .string(packageHash), "packageSize": .integer(packageSize),
            "shouldRunBinaryVersion": .bool(shouldRunBinary), "updateAppVersion": .bool(needsNewerApp),
        ]
    }
}
