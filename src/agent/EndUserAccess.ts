import { Effect } from "effect"
import { Forbidden, Unauthorized } from "../platform/Errors.ts"
import type { Caller } from "../tenancy/CurrentCaller.ts"

/** Whom a call of a workspace is for, and what the token that it comes with leaves of the workspace. */
export interface Access {
  /** The organisation's own id of the end user. */
  readonly endUser: string | undefined
  readonly readOnly: boolean
  /** Names of the only tools; undefined: all of the workspace's. */
  readonly tools: ReadonlyArray<string> | undefined
}

const anotherEndUser = new Forbidden({
  code: "FORBIDDEN",
  message: "X-End-User-Id: this token is for another end user; leave it out."
})

/**
 * Says what a caller may do in a workspace for the end user whom a request names. An API key speaks for all of them; a token for
 * its own, in its own workspace: at another it is none.
 */
export const accessOf = (
  { grant }: Caller,
  workspaceId: string,
  endUser: string | undefined
): Effect.Effect<Access, Forbidden | Unauthorized> => {
  if (grant === undefined) return Effect.succeed({ endUser, readOnly: false, tools: undefined })
  if (grant.workspace !== workspaceId.toLowerCase()) return Effect.fail(new Unauthorized())
  if (endUser !== undefined && endUser !== grant.endUserId) return Effect.fail(anotherEndUser)
  return Effect.succeed({ endUser: grant.endUserId, readOnly: grant.readOnly, tools: grant.tools ?? undefined })
}
