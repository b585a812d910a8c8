import PackDashboard

extension AdapterKind {
    /// What the kind's clients do, for the dashboard. `docs/ADAPTERS.md` has the same table, and a test compares them.
    var system: OtherSystem {
        switch self {
        case .capawesome: OtherSystem(name: "Capawesome", namesDevices: true, reports: false, returnsToApp: false)
        case .capgo: OtherSystem(name: "Capgo", namesDevices: true, reports: true, returnsToApp: true)
        case .chcp:
            OtherSystem(name: "Cordova Hot Code Push", namesDevices: false, reports: false, returnsToApp: false)
        case .codepush: OtherSystem(name: "CodePush", namesDevices: true, reports: true, returnsToApp: false)
        case .ionic: OtherSystem(name: "Ionic Appflow", namesDevices: true, reports: false, returnsToApp: false)
        case .offline: OtherSystem(name: "Older plugins", namesDevices: true, reports: false, returnsToApp: false)
        }
    }
}
