import PackFormat
import PackRegistryAPI

/// Records in the audit log that the reports of a device were deleted. The id says nothing about the device.
struct ReportDeletion: RegistryChange {
    private let sender: ReportID
    private let count: Int

    init(of sender: ReportID, count: Int) {
        self.sender = sender
        self.count = count
    }

    var query: FactsQuery { .unsigned }

    func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws {
        changes.log("reports delete", sender.text, "\(count) events")
    }
}
