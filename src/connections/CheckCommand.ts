import { Command, Options } from "@effect/cli"
import { Data, Effect, Either } from "effect"
import { json, print } from "../platform/Commands.ts"
import { NotFound } from "../platform/Errors.ts"
import { check, type Finding, isOtherwise } from "../providers/Check.ts"
import { Credentials, type CredentialValues } from "../providers/Credentials.ts"
import type { ProviderAdapter } from "../providers/ProviderAdapter.ts"
import { Providers } from "../providers/Providers.ts"
import { accountsOf } from "./Accounts.ts"
import type { Connection } from "./Connection.ts"
import { Connections } from "./Connections.ts"
import { Integrations } from "./Integrations.ts"

/** Ends the command with the exit code 1, after it has told what it found. */
export class NotAsAssumed extends Data.TaggedError("NotAsAssumed")<{ readonly count: number }> {
  override get message() {
    return `${this.count} ${this.count === 1 ? "thing is" : "things are"} not as assumed.`
  }
}

const aboutToken = (what: string, status?: number): Finding => ({
  probe: "token",
  outcome: "differs",
  what,
  ...(status === undefined ? {} : { status })
})

/** Asks whose credentials these are, which changes nothing; the account must be the one that was connected. */
const tokenFindings = Effect.fnUntraced(function* (connection: Connection, credentials: CredentialValues) {
  const { accountId, environment, provider } = connection
  const authorization = (yield* Integrations).get(provider)?.authorization
  if (authorization === undefined || authorization.kind === "connectionString") return []
  return yield* accountsOf({ provider, environment, authorization }, credentials).pipe(
    Effect.map((accounts): ReadonlyArray<Finding> => {
      const isIt = accounts === undefined || accountId === null || accounts.some(({ id }) => id === accountId)
      return isIt ? [] : [aboutToken("opens another account than the one that was connected")]
    }),
    Effect.catchTag("AccountError", ({ reason, status }) => Effect.succeed([aboutToken(reason, status)]))
  )
})

/** Findings about a connection; without credentials that are accepted, nothing else is asked. */
const checked = Effect.fnUntraced(function* (adapter: ProviderAdapter, connection: Connection) {
  const credentials = yield* Effect.either((yield* Credentials).current(connection))
  if (Either.isLeft(credentials)) {
    const { reason, status } = credentials.left
    return { probes: 1, findings: [aboutToken(reason._tag, status)], limits: null }
  }
  const token = yield* tokenFindings(connection, credentials.right)
  const { findings, limits, probes } = yield* check(adapter, connection)
  return { probes: probes + 1, findings: [...token, ...findings], limits }
})

const connection = Options.text("connection").pipe(
  Options.withDescription("UUID of a connection, of whichever organisation")
)

export const checkProvider = Command.make("check", { connection, json }, ({ connection }) =>
  Effect.gen(function* () {
    const found = yield* (yield* Connections).ofAnyone(connection)
    const adapter = (yield* Providers).get(found.provider)
    if (adapter === undefined) {
      return yield* new NotFound({
        code: "PROVIDER_NOT_FOUND",
        message: `${found.provider} is not a provider of records, so there is nothing to check.`
      })
    }
    const came = yield* checked(adapter, found)
    const { environment, id, provider } = found
    yield* print(Effect.succeed({ connection: id, provider, environment, ...came }))
    const count = came.findings.filter(isOtherwise).length
    if (count > 0) return yield* new NotAsAssumed({ count })
  })
).pipe(
  Command.withDescription(
    "Read a little of everything from an account, change nothing, and tell what is not as assumed; exit code 1 if anything is"
  )
)
