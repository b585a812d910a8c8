import PackFormat
import PackRegistryAPI

/// Changes what a channel offers.
struct ChannelController {
    func addRoutes(to router: EndpointRouter) {
        router.add(Endpoints.changeChannel) { call, change in
            try await call.registry.change(
                change, of: PackageID(call.value("package")), on: ChannelName(call.value("channel")))
        }
        router.add(Endpoints.releaseSet) { call, set in
            try await call.registry.release(set, on: ChannelName(call.value("channel")))
        }
        router.add(Endpoints.changeSetting) { call, setting in
            try await call.registry.change(setting, on: ChannelName(call.value("channel")))
        }
        router.add(Endpoints.previewChange) { call, preview in
            try await call.registry.preview(
                preview.change, of: PackageID(call.value("package")), on: ChannelName(call.value("channel")),
                assuming: preview.versions)
        }
        router.add(Endpoints.previewSet) { call, preview in
            try await call.registry.preview(
                preview.set, on: ChannelName(call.value("channel")), assuming: preview.versions)
        }
        router.add(Endpoints.rollout) { call, request in
            try await call.registry.rollout(
                request, of: PackageID(call.value("package")), on: ChannelName(call.value("channel")))
        }
        router.add(Endpoints.rollouts) { call, _ in
            try await call.registry.rollouts(of: PackageID(call.value("package")))
        }
        router.add(Endpoints.allRollouts) { call, _ in try await call.registry.rollouts(of: nil) }
        router.add(Endpoints.runRollouts) { call, _ in try await call.registry.runRollouts() }
    }
}
