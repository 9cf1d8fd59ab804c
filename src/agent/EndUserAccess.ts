import { Effect } from "effect"
import { Forbidden, Unauthorized } from "../platform/Errors.ts"
import type { Caller } from "../tenancy/CurrentCaller.ts"

/** Whom a call of a workspace is for, and what it is narrowed to. */
export interface Narrowed {
  /** The organisation's own id of the end user. */
  readonly endUser: string | undefined
  readonly readOnly: boolean
  /** Names of the only tools; undefined: all of the workspace's. */
  readonly only: ReadonlySet<string> | undefined
}

const anotherEndUser = new Forbidden({
  code: "FORBIDDEN",
  message: "X-End-User-Id: this token is for another end user; leave it out."
})

/**
 * What a caller may do in a workspace for the end user whom a request names. An API key speaks for all of them; a token for
 * its own, in its own workspace: at another it is none.
 */
export const narrowed = (
  { grant }: Caller,
  workspaceId: string,
  endUser: string | undefined
): Effect.Effect<Narrowed, Forbidden | Unauthorized> => {
  if (grant === undefined) return Effect.succeed({ endUser, readOnly: false, only: undefined })
  if (grant.workspace !== workspaceId.toLowerCase()) return Effect.fail(new Unauthorized())
  if (endUser !== undefined && endUser !== grant.endUserId) return Effect.fail(anotherEndUser)
  const only = grant.tools === null ? undefined : new Set(grant.tools)
  return Effect.succeed({ endUser: grant.endUserId, readOnly: grant.readOnly, only })
}

/** The tools that both allow. */
export const both = (one: ReadonlySet<string> | undefined, other: ReadonlySet<string> | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : new Set([...one].filter((name) => other.has(name)))
