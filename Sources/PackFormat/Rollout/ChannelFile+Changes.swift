import PackJSON

extension ChannelFile {
    /// The same channel with other releases of one package. Its gate stays as it is.
    package func offering(
        _ releases: [Release], skippedMandatory: [Release], of package: PackageID
    ) -> ChannelFile {
        with(
            Package(
                releases: releases, skippedMandatory: skippedMandatory,
                isEnabled: packages[package]?.isEnabled ?? true), of: package)
    }

    /// The same channel with the gate of a package on or off; one that it does not have gets none.
    package func with(gate isOn: Bool, of package: PackageID) -> ChannelFile {
        guard let known = packages[package] else { return self }
        return with(
            Package(releases: known.releases, skippedMandatory: known.skippedMandatory, isEnabled: isOn), of: package)
    }

    package func with(poll: ChannelPoll?) -> ChannelFile {
        ChannelFile(app: app, channel: channel, packages: packages, poll: poll, rules: rules, groups: groups)
    }

    /// - Throws: ``FormatError/invalidRules(_:)`` for rules that no channel may have.
    package func with(rules: WebRules?) throws(FormatError) -> ChannelFile {
        try rules?.requireFit()
        return ChannelFile(app: app, channel: channel, packages: packages, poll: poll, rules: rules, groups: groups)
    }

    /// The same channel with a group, in the place of one of its name.
    /// - Throws: ``FormatError/invalidGroup(_:reason:)`` for more than a channel may have.
    package func with(_ group: DeviceGroup) throws(FormatError) -> ChannelFile {
        var groups = groups
        groups[group.name] = GroupReference(deviceCount: group.devices.count, digest: Digest(of: group.bytes))
        guard groups.count <= DeviceGroup.maximumCount else {
            throw .invalidGroup(group.name, reason: "the channel has \(DeviceGroup.maximumCount) groups already")
        }
        return with(groups: groups)
    }

    package func without(group name: String) -> ChannelFile {
        with(groups: groups.filter { $0.key != name })
    }

    /// The same channel with other packages.
    /// - Parameter general: whether it says what holds for all packages too.
    package func with(general: Bool = true, packages: [PackageID: Package]) -> ChannelFile {
        ChannelFile(
            app: app, channel: channel, packages: packages, poll: general ? poll : nil, rules: general ? rules : nil,
            groups: general ? groups : [:])
    }

    private func with(groups: [String: GroupReference]) -> ChannelFile {
        ChannelFile(app: app, channel: channel, packages: packages, poll: poll, rules: rules, groups: groups)
    }

    private func with(_ changed: Package, of package: PackageID) -> ChannelFile {
        var packages = packages
        packages[package] = changed
        return ChannelFile(app: app, channel: channel, packages: packages, poll: poll, rules: rules, groups: groups)
    }
}

extension WebRules {
    /// Bytes of a channel's rules: a device has them in its state, which it writes at each start of a version.
    static let maximumChannelByteCount = 64 << 10

    /// - Throws: ``FormatError/invalidRules(_:)``
    func requireFit() throws(FormatError) {
        guard api.isEmpty else {
            throw .invalidRules(
                "a channel's rules have no \"api\": a package's manifest, which its publisher signs, says where requests lead"
            )
        }
        guard JSONValue.object(json).canonicalBytes.count <= Self.maximumChannelByteCount else {
            throw .invalidRules("a channel's rules are at most \(Self.maximumChannelByteCount) bytes")
        }
    }
}
