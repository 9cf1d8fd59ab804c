import { Command } from "@effect/cli"
import { Effect } from "effect"
import { ChatSessions } from "./agent/ChatSessions.ts"
import { SessionContexts } from "./agent/SessionContexts.ts"
import { Approvals } from "./approvals/Approvals.ts"
import { ToolCalls } from "./audit/ToolCalls.ts"
import { OAuthRecords } from "./authorization/OAuthRecords.ts"
import { ConnectAttempts } from "./connections/ConnectAttempts.ts"
import { Connections } from "./connections/Connections.ts"
import { ConsoleSessions } from "./console/ConsoleSessions.ts"
import { Subscriptions } from "./hooks/Subscriptions.ts"
import { json, print } from "./platform/Commands.ts"
import { Idempotency } from "./records/Idempotency.ts"
import { Watches } from "./watches/Watches.ts"
import { Deliveries } from "./webhooks/Deliveries.ts"
import { Webhooks } from "./webhooks/Webhooks.ts"

/** Re-encrypts all that rests encrypted; answers for each kind how many values, and what remains under other keys. */
export const rotateEncryption = Command.make("rotate-encryption", { json }, () =>
  print(
    Effect.gen(function* () {
      return {
        authorizations: yield* (yield* OAuthRecords).rotateEncryption,
        connections: yield* (yield* Connections).rotateEncryption,
        connectAttempts: yield* (yield* ConnectAttempts).rotateEncryption,
        sessionContexts: yield* (yield* SessionContexts).rotateEncryption,
        chatSessions: yield* (yield* ChatSessions).rotateEncryption,
        approvals: yield* (yield* Approvals).rotateEncryption,
        toolCalls: yield* (yield* ToolCalls).rotateEncryption,
        idempotencyAnswers: yield* (yield* Idempotency).rotateEncryption,
        consoleNotices: yield* (yield* ConsoleSessions).rotateEncryption,
        pushSubscriptions: yield* (yield* Subscriptions).rotateEncryption,
        webhookSecrets: yield* (yield* Webhooks).rotateEncryption,
        webhookAnswers: yield* (yield* Deliveries).rotateEncryption,
        watches: yield* (yield* Watches).rotateEncryption
      }
    })
  )
).pipe(
  Command.withDescription(
    "Encrypt what is stored with the first of ENCRYPTION_KEYS, and say what is left to older ones"
  )
)
