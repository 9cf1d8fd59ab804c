import { Clock, Effect, Layer, Redacted } from "effect"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { Credentials } from "../providers/Credentials.ts"
import { connectionRows, type Ending } from "./ConnectionRows.ts"
import { Integrations } from "./Integrations.ts"

/**
 * Looks for connections that end soon, each twice: a week and a day before. Those whose refresh token is extended whenever it is
 * used are renewed, so that nobody has to connect again for want of calls; of the others the log warns, once for all instances.
 */
export const warn = Effect.gen(function* () {
  const rows = yield* connectionRows
  const integrations = yield* Integrations
  const credentials = yield* Credentials
  const now = new Date(yield* Clock.currentTimeMillis)
  const ending = yield* rows.ending(now)

  const tell = ({ id, provider, reauth_by }: Ending) =>
    Effect.logWarning(
      `A connection ends at ${reauth_by.toISOString()} unless its end user connects again before: POST /connections/${id}/reconnect`
    ).pipe(Effect.annotateLogs({ connection: id, provider }))

  yield* Effect.forEach(
    ending,
    (one) => {
      const { environment, id, organisation_id, provider, version } = one
      const authorization = integrations.get(provider)?.consent
      if (authorization?.refreshEnd?.isRenewed !== true) return tell(one)
      return credentials
        .refresh({ id, provider, environment, organisation: organisation_id }, { version, secret: nothing, values: {} })
        .pipe(Effect.catchAll(() => tell(one)))
    },
    { concurrency: 4, discard: true }
  )
})

/** A refresh goes by the version alone. */
const nothing = Redacted.make("")

export const layer = Layer.scopedDiscard(runInBackground(warn))
