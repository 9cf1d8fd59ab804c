import { Effect } from "effect"
import type { Call, Caller } from "../base/Upstream.ts"
import { NotPermitted, ProviderError } from "../ProviderError.ts"
import type { Requirement } from "../Requirement.ts"

/**
 * An end user grants all scopes that the application has at the time, or none: what it is given later, their connection lacks
 * until they connect again.
 * https://pipedrive.readme.io/docs/marketplace-scopes-and-permissions-explanations
 * https://pipedrive.readme.io/docs/marketplace-updating-the-existing-app#changing-the-scopes
 */
const scope = (name: string) => ({ kind: "scope", name }) as const satisfies Requirement

export const leads = scope("leads:full")
export const activities = scope("activities:full")
export const users = scope("users:read")

/** Scopes by where their records are; notes are let in by those of deals. */
const places: ReadonlyArray<readonly [place: RegExp, scope: Requirement]> = [
  [/\/leads\b/, leads],
  [/\/activit/, activities],
  [/\/webhooks\b/, scope("webhooks:full")],
  [/\/users\/me$/, scope("base")],
  [/\/users\b/, users],
  [/\/(?:persons|organizations|organizationFields)\b/, scope("contacts:full")]
]

const scopeOf = ({ path }: Call): Requirement => places.find(([place]) => place.test(path))?.[1] ?? scope("deals:full")

/** Calls that say which scope a connection lacks that is not let in: Pipedrive does not name it. */
export const namingScopes =
  (call: Caller): Caller =>
  (connection, request) =>
    Effect.mapError(call(connection, request), (error) =>
      error.reason._tag === "NotPermitted" && /^scope and url mismatch/i.test(error.detail ?? "")
        ? new ProviderError({ ...error, reason: new NotPermitted({ lacks: [scopeOf(request)] }) })
        : error
    )
