extension Updater {
    func takePresets() async throws {}
}
