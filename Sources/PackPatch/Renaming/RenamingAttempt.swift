/// Makes a patch with or without renaming, whichever is shorter. It makes both in full only if the shorter one is not
/// clear.
struct RenamingAttempt {
    /// A patch in memory.
    struct Patch: ~Copyable {
        /// The skippable frame in front; empty without a map.
        let map: [UInt8]
        let frame: CompressedFrame

        var byteCount: Int { map.count + frame.bytes.count }
    }

    /// The level at which the two are compared: it takes a twentieth of the time of the last one.
    private static let trialLevel: Int32 = 12
    /// A trial that differs by more than this has decided (measured: both levels agree on the better one to 1 %).
    private static let clearGain = 0.97
    private static let clearLoss = 1.002
    /// The bytes of both sides above which only one is made, the plain one in doubt: a publication waits for it.
    private static let maximumByteCountOfBoth = 48 << 20

    let plan: PatchPlan
    /// The lost objects as they are.
    let plain: UnsafeRawBufferPointer
    /// The new objects.
    let content: UnsafeRawBufferPointer

    /// - Parameter prefix: The lost objects as a renamer makes them.
    func shortest(
        settings: FrameCompressor.Settings, prefix: (consuming Renamer) throws -> MappedMemory
    ) throws -> Patch {
        let names = NamePairs(plan)
        guard let map = try RenamingPlanner(plan, names, lost: plain, new: content).map() else {
            return Patch(map: [], frame: try CompressedFrame(content, prefix: plain, settings))
        }
        let header: [UInt8]
        let renamed: MappedMemory
        do {
            header = RenamingFrame.bytes(around: try RenamingMapCoder.encode(map))
            renamed = try prefix(try Renamer(map, names, byteCount: plan.lostByteCount))
        } catch PatchError.invalidMap {
            // The device would refuse it too: it is too large, or makes the base too large.
            return Patch(map: [], frame: try CompressedFrame(content, prefix: plain, settings))
        }

        let trial = try trial(renamed.bytes, header: header.count)
        let isInDoubt = trial > Self.clearGain
        if trial > Self.clearLoss || isInDoubt && plain.count + content.count > Self.maximumByteCountOfBoth {
            return Patch(map: [], frame: try CompressedFrame(content, prefix: plain, settings))
        }
        // A tool that does not know the map shall notice, not write something wrong.
        var checked = settings
        checked.hasChecksum = true
        let renamedPatch = Patch(map: header, frame: try CompressedFrame(content, prefix: renamed.bytes, checked))
        guard isInDoubt else { return renamedPatch }
        let plainPatch = Patch(map: [], frame: try CompressedFrame(content, prefix: plain, settings))
        return renamedPatch.byteCount < plainPatch.byteCount ? renamedPatch : plainPatch
    }

    /// The size with renaming divided by that without.
    private func trial(_ renamed: UnsafeRawBufferPointer, header: Int) throws -> Double {
        let settings = FrameCompressor.Settings(level: Self.trialLevel)
        let plainCount = try CompressedFrame(content, prefix: plain, settings).bytes.count
        let renamedCount = try CompressedFrame(content, prefix: renamed, settings).bytes.count + header
        return Double(renamedCount) / Double(plainCount)
    }
}
