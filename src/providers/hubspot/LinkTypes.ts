import { Effect, Schema } from "effect"
import { type Native } from "../../mapping/Mapping.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { keeping } from "../KeptValues.ts"
import { Invalid, ProviderError } from "../ProviderError.ts"
import { recordsOf } from "./Answers.ts"
import { blameLink } from "./Links.ts"

/** Ids of the kinds of link from one type to another. */
const Kinds = Schema.Struct({
  /** Without a label. */
  plain: Schema.UndefinedOr(Schema.Number),
  /** The one such link that a record has. */
  primary: Schema.UndefinedOr(Schema.Number)
})

/** A kind of link that a write makes. */
interface Kind {
  readonly id: number
  /** A record has one link of it. */
  readonly isPrimary: boolean
}

const operation = "associations.labels"

/** Seconds. */
const aDay = 86_400

/** HubSpot has put "Primary" in different words, such as "Contact with Primary Company". */
export const isPrimary = (label: unknown): boolean => typeof label === "string" && /\bprimary\b/i.test(label)

/** Of what HubSpot defines; an account's own labels are kinds too. */
const kindsIn = (definitions: ReadonlyArray<Native>): typeof Kinds.Type => {
  const own = definitions.filter(({ category }) => category === "HUBSPOT_DEFINED")
  const idOf = (is: (label: unknown) => boolean) => {
    const id = own.find(({ label }) => is(label))?.typeId
    return typeof id === "number" ? id : undefined
  }
  return { plain: idOf((label) => label === null || label === undefined), primary: idOf(isPrimary) }
}

/**
 * Kinds of link as the account defines them, asked for once a day and pair of types. The published tables of their ids
 * contradict each other (a lead's company is 580 and 610), and labels are the only other thing that tells them apart.
 * https://developers.hubspot.com/docs/api-reference/latest/crm/associations/associations-schema/guide
 * https://developers.hubspot.com/changelog/changes-to-primary-labels-for-hubspot-defined-association-labels
 */
export const linkTypes = (call: Caller) =>
  Effect.map(keeping(Kinds), (known) =>
    /** The primary kind, where it is wanted and there is one, else the one without a label. */
    (connection: ConnectionRef, from: string, to: string, wantsPrimary: boolean): Effect.Effect<Kind, ProviderError> => {
      const request: Call = { operation, method: "GET", path: `/crm/v4/associations/${from}/${to}/labels` }
      const load = call(connection, request).pipe(
        Effect.flatMap((answer) => recordsOf(request, answer)),
        Effect.map(kindsIn),
        Effect.mapError(blameLink(to))
      )
      return Effect.flatMap(known.get(connection, `links/${from}/${to}`, aDay, load), ({ plain, primary }) => {
        const isPrimary = wantsPrimary && primary !== undefined
        const id = isPrimary ? primary : plain
        return id === undefined ? Effect.fail(noKind(from, to)) : Effect.succeed({ id, isPrimary })
      })
    }
  )

export type LinkTypes = Effect.Effect.Success<ReturnType<typeof linkTypes>>

const noKind = (from: string, to: string) =>
  new ProviderError({
    provider: "hubspot",
    operation,
    reason: new Invalid({
      fields: { [`associations.${to}`]: `cannot be set: this HubSpot account has no link from ${from} to ${to}` }
    })
  })
