import { Effect } from "effect"
import { Forbidden, Unauthorized } from "../platform/Errors.ts"
import type { Caller } from "../tenancy/CurrentCaller.ts"

/** The end user that a request to a workspace is for, and the part of the workspace that its token leaves. */
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
 * Says what a caller may do in a workspace for the end user named in a request. An API key acts for every end user; a token
 * only for its own, in its own workspace: in any other it counts as no token.
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
