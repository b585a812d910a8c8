import Foundation
package import PackJSON
import PackRegistryAPI

/// The form in which every store keeps the kind of an event: a word and a document.
extension ApprovalEvent.Kind {
    package var name: String {
        switch self {
        case .require: "require"
        case .propose: "propose"
        case .approve: "approve"
        case .reject: "reject"
        case .execute: "execute"
        case .fail: "fail"
        }
    }

    package var content: JSONObject {
        switch self {
        case .require(let count): ["approvals": .integer(count)]
        case .propose(let pinned):
            [
                "proposal": .object(pinned.proposal.json), "expires": .string(WireTime.text(pinned.expires)),
                "pins": .array(pinned.pins.map { .string($0) }), "effect": .array(pinned.effect.map { .string($0) }),
                "needed": .integer(pinned.needed),
            ]
        case .approve: [:]
        case .reject(let reason), .fail(let reason): ["reason": .string(reason)]
        case .execute(let effect, let needed): ["effect": .string(effect), "needed": .integer(needed)]
        }
    }

    /// - Throws: for a word or a document that no event has.
    package init(name: String, content: JSONObject) throws {
        switch name {
        case "require": self = try .require(content.integer("approvals"))
        case "propose":
            let proposal = try ChangeProposal(json: content.object("proposal"))
            self = try .propose(
                PinnedProposal(
                    proposal, expires: content.date("expires"),
                    pins: content.array("pins").map { try $0.string("pins") },
                    effect: content.array("effect").map { try $0.string("effect") },
                    // One of before the number was kept: it may have needed one.
                    needed: content["needed"].map { try $0.integer("needed") }
                        ?? ApprovalRule.needed(for: proposal, required: 1)))
        case "approve": self = .approve
        case "reject": self = try .reject(reason: content.string("reason"))
        case "execute": self = try .execute(effect: content.string("effect"), needed: content.integer("needed"))
        case "fail": self = try .fail(reason: content.string("reason"))
        default:
            throw JSONError.unexpected(field: "kind", wanted: "an event of a proposed change", found: "\"\(name)\"")
        }
    }
}
