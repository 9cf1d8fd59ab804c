import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import { createHash, createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import { canonicalJson } from "../platform/CanonicalJson.ts"
import { Encryption } from "../platform/Encryption.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"

/** A call that somebody is asked to approve; the approval is for exactly this call. */
export interface Approvable {
  readonly tenant: Tenant
  /** The chat session, or other place, in which the question was asked. */
  readonly place: string
  /** The id that the call has there. */
  readonly call: string
  readonly tool: string
  readonly args: unknown
}

/** The approval is not valid: `used` before, `expired`, or not one of ours for this call (`foreign`). */
export class NotApproved extends Schema.TaggedError<NotApproved>()("NotApproved", {
  reason: Schema.Literal("expired", "used", "foreign")
}) {
  override get message() {
    return {
      expired: "The approval is older than 10 minutes; ask again.",
      used: "The approval was used before; ask again.",
      foreign: "The approval is not one for this call."
    }[this.reason]
  }
}

/** Milliseconds for which an approval holds. */
const lifetime = 600_000

/**
 * Consents of users who are asked in their own client travel through it and come back. They are signed, so that none can be
 * made up; they name the call with its arguments, so that none can be moved to another; and each is valid once, on
 * whichever instance it arrives.
 */
export class Consents extends Context.Tag("tributary/agent/Consents")<
  Consents,
  {
    /** Returns a signature to be sent back with the consent, printable and safe in URLs. */
    readonly ask: (what: Approvable) => Effect.Effect<string>
    readonly use: (signature: string, what: Approvable) => Effect.Effect<void, NotApproved>
  }
>() {
  static readonly layer = Layer.scoped(
    Consents,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secret = (yield* Encryption).derive("tool approvals")

      yield* runInBackground(sql`delete from used_approvals where expires_at < now()`)

      const sign = ({ args, call, place, tenant, tool }: Approvable, id: string, expiresAt: number) =>
        createHmac("sha256", Redacted.value(secret))
          .update(
            JSON.stringify([
              tenant.organisation,
              tenant.environment,
              place,
              call,
              tool,
              createHash("sha256").update(canonicalJson(args)).digest("hex"),
              id,
              expiresAt
            ])
          )
          .digest()

      return Consents.of({
        ask: Effect.fn("Consents.ask")(function* (what) {
          const id = randomUUID()
          const expiresAt = (yield* Clock.currentTimeMillis) + lifetime
          return `${id}.${expiresAt}.${sign(what, id, expiresAt).toString("base64url")}`
        }),

        use: Effect.fn("Consents.use")(
          function* (signature, what) {
            const [, id = "", expiry = "", mac = ""] = form.exec(signature) ?? []
            const expiresAt = Number(expiry)
            const given = Buffer.from(mac, "base64url")
            const wanted = sign(what, id, expiresAt)
            if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
              return yield* new NotApproved({ reason: "foreign" })
            }
            if (expiresAt < (yield* Clock.currentTimeMillis)) return yield* new NotApproved({ reason: "expired" })
            const [used] = yield* sql`
              insert into used_approvals (id, expires_at) values (${id}, to_timestamp(${expiresAt / 1000}::float8))
              on conflict (id) do nothing returning id`
            if (used === undefined) return yield* new NotApproved({ reason: "used" })
          },
          Effect.catchTag("SqlError", Effect.die)
        )
      })
    })
  )
}

const form = /^([0-9a-f-]{36})\.(\d{1,15})\.([A-Za-z0-9_-]{43})$/
