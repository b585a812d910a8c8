import PackFormat

extension Manifest {
    var allowsServiceWorkers: Bool { true }
}
