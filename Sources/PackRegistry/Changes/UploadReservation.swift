import PackFormat

/// Somebody is about to upload a package. Its objects that nothing referred to, and that were to be removed, stay.
struct UploadReservation: RegistryChange {
    private let objects: [Object]

    init(_ objects: [Object]) {
        self.objects = objects
    }

    var query: FactsQuery { .unsigned }

    func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws { changes.reserved = objects }
}
