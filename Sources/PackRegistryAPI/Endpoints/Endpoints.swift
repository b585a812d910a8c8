package import PackFormat
import PackJSON

/// Every operation of the API. Declare a new one here, answer it in a controller, and, if packtool uses it, call it
/// in `RemoteRegistry`. `docs/HTTP-REFERENCE.md` is generated from this list.
package enum Endpoints {
    // MARK: What anybody may ask for

    package static let overview = Endpoint<Void, RegistryOverview>(
        Route(
            .get, "/v1/overview",
            "Lists every version, or those of the `packages` named, and every release. Without a token, publishers' names "
                + "are left out."),
        encodeAnswer: \.json, decodeAnswer: RegistryOverview.init(json:))
    package static let channel = Endpoint<Void, ChannelFile>(
        Route(
            .get, "/v1/channels/{channel}",
            "What a channel offers, or offered `at` a time, in the form of the channel file; it is not signed."),
        encodeAnswer: { (try? JSONValue(parsing: $0.bytes).object("channel")) ?? [:] },
        decodeAnswer: { try ChannelFile(parsing: JSONValue.object($0).canonicalBytes) })
    package static let planProgress = Endpoint<Void, [String: PlanProgress]>(
        Route(
            .get, "/v1/channels/{channel}/packages/{package}/plans",
            "Where the plans of a package's releases are, or were `at` a time."),
        encodeAnswer: { ["plans": .object(JSONObject($0.map { ($0.key, .object($0.value.json)) }))] },
        decodeAnswer: { json in
            var plans: [String: PlanProgress] = [:]
            for member in try json.object("plans").members {
                plans[member.key] = try PlanProgress(json: member.value.object(member.key))
            }
            return plans
        })
    package static let explain = Route(
        .get, "/v1/explain", "Every release and condition for one device, with the value that was seen.")
    package static let update = Route(.get, "/v1/update", "Tells which version a device should have.")
    package static let bundle = Route(
        .get, "/v1/bundle/{root}/{channel}", "Returns all metadata that a fresh device needs in one answer.")
    package static let healthLive = Route(.get, "/health/live", "200 while the process answers.")
    package static let healthReady = Route(
        .get, "/health/ready", "200 while the view is readable and the database answers, otherwise 503.")

    // MARK: Publishing

    package static let missingObjects = Route(
        .post, "/v1/missing-objects", right: .publish, isRepeatable: true,
        "Lists those of a manifest's objects that the registry does not have.")
    package static let uploads = Route(
        .post, "/v1/uploads", right: .publish, isRepeatable: true,
        "Uploads a package zip, which may leave out objects. A repeated upload changes nothing."
    )
    package static let publishVersion = Endpoint<VersionRequest, PublishOutcome>(
        Route(
            .post, "/v1/versions", right: .publish, isRepeatable: true,
            "Publishes an uploaded version with the publisher's signed role. 201, or 200 if it was already public."
        ),
        encodeBody: \.json, decodeBody: VersionRequest.init(json:),
        encodeAnswer: { ["outcome": .string($0.wireName)] },
        decodeAnswer: { try PublishOutcome(wireName: $0.string("outcome")) },
        status: { $0 == .published ? 201 : 200 })
    package static let withdraw = Endpoint<WithdrawalRequest, Void>(
        Route(
            .post, "/v1/packages/{package}/versions/{version}/withdrawal", right: .publish,
            "Withdraws a version for good, with the publisher's role that no longer lists it."),
        encodeBody: \.json, decodeBody: WithdrawalRequest.init(json:))
    package static let submitMetadata = Route(
        .put, "/v1/metadata/{role}",
        "Stores newer signed metadata: root and targets need the right admin, a package's role needs publish.")

    // MARK: Releasing

    package static let changeChannel = Endpoint<ChannelChange, ChannelOutcome>(
        Route(
            .post, "/v1/channels/{channel}/packages/{package}", right: .release,
            "Changes what a channel offers for a package."),
        encodeBody: \.json, decodeBody: ChannelChange.init(json:), encodeAnswer: \.json,
        decodeAnswer: ChannelOutcome.init(json:))

    package static let releaseSet = Endpoint<ReleaseSet, ReleaseSetOutcome>(
        Route(
            .post, "/v1/channels/{channel}/sets", right: .release,
            "Offers versions of several packages as one: devices get all of them or none."),
        encodeBody: \.json, decodeBody: ReleaseSet.init(json:), encodeAnswer: \.json,
        decodeAnswer: ReleaseSetOutcome.init(json:))
    package static let changeSetting = Endpoint<ChannelSetting, SettingOutcome>(
        Route(
            .post, "/v1/channels/{channel}/settings", right: .release, isRepeatable: true,
            "Changes what a channel tells its devices beside releases: gates, the interval, web rules, groups."),
        encodeBody: \.json, decodeBody: ChannelSetting.init(json:), encodeAnswer: \.json,
        decodeAnswer: SettingOutcome.init(json:))
    package static let rollout = Endpoint<RolloutRequest, RolloutOutcome>(
        Route(
            .post, "/v1/channels/{channel}/packages/{package}/rollout", right: .release,
            "Puts a plan on a release, or starts, pauses, resumes, advances, halts, completes or takes back its rollout."
        ),
        encodeBody: \.json, decodeBody: RolloutRequest.init(json:), encodeAnswer: \.json,
        decodeAnswer: RolloutOutcome.init(json:))
    package static let rollouts = rolloutList(
        Route(
            .get, "/v1/packages/{package}/rollouts", right: .release, or: .observe,
            "Where the package's rollouts by a plan are, and what is done next."))
    package static let allRollouts = rolloutList(
        Route(
            .get, "/v1/rollouts", right: .release, or: .observe,
            "The same of all packages and channels that the token may release or observe."))
    private static func rolloutList(_ route: Route) -> Endpoint<Void, [RolloutStatus]> {
        Endpoint(
            route, encodeAnswer: { ["rollouts": .array($0.map { .object($0.json) })] },
            decodeAnswer: { try $0.array("rollouts").map { try RolloutStatus(json: $0.object("rollout")) } })
    }
    package static let runRollouts = Endpoint<Void, RolloutRun>(
        Route(
            .post, "/v1/rollouts/run", right: .release, isRepeatable: true,
            "Takes the steps of plans that are due, of the packages and channels that the token may release."),
        encodeAnswer: \.json, decodeAnswer: RolloutRun.init(json:))

    // MARK: Approvals and schedules

    package static let proposeChange = Endpoint<ChangeProposal, ChangeOutcome>(
        Route(
            .post, "/v1/changes", right: .release,
            "Proposes a change of a channel. One that needs no approval and has no later time is made at once."),
        encodeBody: \.json, decodeBody: ChangeProposal.init(json:), encodeAnswer: \.json,
        decodeAnswer: ChangeOutcome.init(json:), status: { $0.change.state == .executed ? 200 : 201 })
    package static let changes = Endpoint<Void, ProposedChanges>(
        Route(
            .get, "/v1/changes", right: .release,
            "The open changes, or with `all=true` the newest 200, and how many approvals channels require."),
        encodeAnswer: \.json, decodeAnswer: ProposedChanges.init(json:))
    package static let change = Endpoint<Void, ProposedChanges>(
        Route(.get, "/v1/changes/{id}", right: .release, "One change, in the form of the list."),
        encodeAnswer: \.json, decodeAnswer: ProposedChanges.init(json:))
    package static let voteOnChange = Endpoint<ChangeVote, ChangeOutcome>(
        Route(
            .post, "/v1/changes/{id}/vote", right: .release, isRepeatable: true,
            "Approves or rejects a change. The last approval that it needs makes it, if it has no later time."),
        encodeBody: \.json, decodeBody: ChangeVote.init(json:), encodeAnswer: \.json,
        decodeAnswer: ChangeOutcome.init(json:))

    // MARK: Previews

    package static let previewChange = Endpoint<ChangePreview, ChannelOutcome>(
        Route(
            .post, "/v1/channels/{channel}/packages/{package}/preview", right: .release, isRepeatable: true,
            "Says what a change of what a channel offers would do. Nothing is changed."),
        encodeBody: \.json, decodeBody: ChangePreview.init(json:), encodeAnswer: \.json,
        decodeAnswer: ChannelOutcome.init(json:))
    package static let previewSet = Endpoint<SetPreview, ReleaseSetOutcome>(
        Route(
            .post, "/v1/channels/{channel}/sets/preview", right: .release, isRepeatable: true,
            "Says what offering several packages as one would do. Nothing is changed."),
        encodeBody: \.json, decodeBody: SetPreview.init(json:), encodeAnswer: \.json,
        decodeAnswer: ReleaseSetOutcome.init(json:))
    package static let previewWithdrawal = Endpoint<String, [ChannelName: ChannelOutcome]>(
        Route(
            .post, "/v1/packages/{package}/versions/{version}/withdrawal/preview", right: .publish, isRepeatable: true,
            "Says what withdrawing a version would do to each channel. Nothing is changed."),
        encodeBody: { WithdrawalPreview.json(reason: $0) }, decodeBody: WithdrawalPreview.reason(json:),
        encodeAnswer: { WithdrawalPreview.json($0) }, decodeAnswer: WithdrawalPreview.channels(json:))

    package static let provenance = Endpoint<Void, [UInt8]>(
        Route(
            .get, "/v1/packages/{package}/versions/{version}/provenance",
            "Returns the signed statement of how a version was built (in-toto, SLSA), in a DSSE envelope, to any token."
        ),
        encodeAnswer: { (try? JSONValue(parsing: $0).object()) ?? [:] },
        decodeAnswer: { JSONValue.object($0).canonicalBytes })

    // MARK: Administration

    package static let identity = Endpoint<Void, Identity>(
        Route(.get, "/v1/identity", "Tells the holder of a token its name, its rights and when it expires."),
        encodeAnswer: \.json, decodeAnswer: Identity.init(json:))

    package static let tokens = Endpoint<Void, [TokenRecord]>(
        Route(.get, "/v1/tokens", right: .admin, "Lists the access tokens, newest first, without their secrets."),
        encodeAnswer: { ["tokens": .array($0.map { .object($0.json) })] },
        decodeAnswer: { try $0.array("tokens").map { try TokenRecord(json: $0.object("token")) } })
    package static let createToken = Endpoint<TokenRequest, CreatedToken>(
        Route(
            .post, "/v1/tokens", right: .admin, "Creates an access token. Only this answer contains its secret."),
        encodeBody: \.json, decodeBody: TokenRequest.init(json:), encodeAnswer: \.json,
        decodeAnswer: CreatedToken.init(json:), status: { _ in 201 })
    package static let createTrust = Endpoint<TrustRequest, TokenRecord>(
        Route(
            .post, "/v1/trusts", right: .admin,
            "Trusts an issuer of id tokens, so that jobs with these claims get tokens. It is listed and revoked as a token is."
        ),
        encodeBody: \.json, decodeBody: TrustRequest.init(json:), encodeAnswer: { ["token": .object($0.json)] },
        decodeAnswer: { try TokenRecord(json: $0.object("token")) }, status: { _ in 201 })
    package static let exchangeToken = Endpoint<TokenExchangeRequest, CreatedToken>(
        Route(
            .post, "/v1/tokens/exchange",
            "Makes an access token of 15 minutes of a CI job's id token, if the registry trusts its issuer for such jobs."
        ),
        encodeBody: \.json, decodeBody: TokenExchangeRequest.init(json:), encodeAnswer: \.json,
        decodeAnswer: CreatedToken.init(json:), status: { _ in 201 })
    package static let revokeToken = Endpoint<Void, Void>(
        Route(.delete, "/v1/tokens/{id}", right: .admin, isRepeatable: true, "Revokes an access token."))
    package static let audit = Endpoint<Void, [AuditEntry]>(
        Route(
            .get, "/v1/audit", right: .admin,
            "Lists who did what, newest first; `limit` is 1 to 10,000, by default 100; `actor`, `action`, `subject` and `since` choose."
        ),
        encodeAnswer: { ["entries": .array($0.map { .object($0.json) })] },
        decodeAnswer: { try $0.array("entries").map { try AuditEntry(json: $0.object("entry")) } })
    package static let healthDetails = Endpoint<Void, HealthDetails>(
        Route(
            .get, "/v1/health/details", right: .admin,
            "Returns the server's version and the expiry of each online signature."),
        encodeAnswer: \.json, decodeAnswer: HealthDetails.init(json:))

    package static let webhooks = Endpoint<Void, [Webhook]>(
        Route(.get, "/v1/webhooks", right: .admin, "Lists the webhooks without their secrets."),
        encodeAnswer: { ["webhooks": .array($0.map { .object($0.json) })] },
        decodeAnswer: { try $0.array("webhooks").map { try Webhook(json: $0.object("webhook")) } })
    package static let addWebhook = Endpoint<WebhookRequest, CreatedWebhook>(
        Route(
            .post, "/v1/webhooks", right: .admin,
            "Adds a webhook. If the request has no secret, this answer has one that is shown only once."),
        encodeBody: \.json, decodeBody: WebhookRequest.init(json:),
        encodeAnswer: {
            var json: JSONObject = ["webhook": .object($0.webhook.json)]
            json["secret"] = $0.secret.map { .string($0) }
            return json
        },
        decodeAnswer: {
            try CreatedWebhook(
                webhook: Webhook(json: $0.object("webhook")), secret: $0["secret"]?.string("secret"))
        }, status: { _ in 201 })
    package static let removeWebhook = Endpoint<Void, Void>(
        Route(
            .delete, "/v1/webhooks/{id}", right: .admin, isRepeatable: true,
            "Removes a webhook and what waits for it."))
    package static let testWebhook = Endpoint<Void, String>(
        Route(.post, "/v1/webhooks/{id}/test", right: .admin, "Sends a trial to a webhook; the answer has its id."),
        encodeAnswer: { ["delivery": .string($0)] }, decodeAnswer: { try $0.string("delivery") })
    package static let deadLetters = Endpoint<Void, [DeadLetter]>(
        Route(.get, "/v1/dead-letters", right: .admin, "Lists deliveries that were given up, newest first."),
        encodeAnswer: { ["deadLetters": .array($0.map { .object($0.json) })] },
        decodeAnswer: { try $0.array("deadLetters").map { try DeadLetter(json: $0.object("deadLetter")) } })
    package static let retryDeadLetters = Endpoint<Void, Int>(
        Route(
            .post, "/v1/dead-letters/retry", right: .admin, isRepeatable: true,
            "Sends the deliveries that were given up once more."),
        encodeAnswer: { ["count": .integer($0)] }, decodeAnswer: { try $0.integer("count") })
    package static let metrics = Route(
        .get, "/metrics",
        "The state of the server and of the registry for Prometheus. Needs the right observe, unless it is served with --open-metrics."
    )

    // MARK: Reports

    package static let reports = Route(
        .post, "/v1/reports", isRepeatable: true,
        "Takes up to 500 events of a device. What the answer calls accepted is durable; the same event counts once.")
    package static let stats = Endpoint<Void, ReportStats>(
        Route(
            .get, "/v1/channels/{channel}/stats", right: .observe,
            "Adoption, failures and savings; `package`, `days` (1 to 400, else 30), `window` (hours, 1 to 720, else 24)."
        ),
        encodeAnswer: \.json, decodeAnswer: ReportStats.init(json:))
    package static let deviceReports = Endpoint<Void, [DeviceEvent]>(
        Route(.get, "/v1/devices/{id}/reports", right: .observe, "The events of one report id, oldest first."),
        encodeAnswer: { ["events": .array($0.map { .object($0.json) })] },
        decodeAnswer: { try $0.array("events").map { try DeviceEvent(json: $0.object("events")) } })
    package static let deleteReports = Endpoint<Void, Int>(
        Route(
            .delete, "/v1/devices/{id}/reports", right: .admin, isRepeatable: true,
            "Deletes what one report id sent."),
        encodeAnswer: { ["deleted": .integer($0)] }, decodeAnswer: { try $0.integer("deleted") })

    package static let routes: [Route] = [
        overview.route, channel.route, planProgress.route, explain, update, bundle, missingObjects, uploads,
        publishVersion.route, withdraw.route, submitMetadata, changeChannel.route, releaseSet.route,
        changeSetting.route, rollout.route, rollouts.route, allRollouts.route, runRollouts.route, proposeChange.route,
        changes.route,
        change.route, voteOnChange.route, previewChange.route, previewSet.route, previewWithdrawal.route,
        provenance.route, identity.route, tokens.route, createToken.route, createTrust.route, exchangeToken.route,
        revokeToken.route,
        audit.route, healthDetails.route,
        webhooks.route, addWebhook.route, removeWebhook.route, testWebhook.route, deadLetters.route,
        retryDeadLetters.route, reports, stats.route, deviceReports.route, deleteReports.route, healthLive,
        healthReady, metrics,
    ]
}
