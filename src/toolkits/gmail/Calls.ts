import { Effect } from "effect"
import { isNative, type Native } from "../../mapping/Mapping.ts"
import type { Call, Caller } from "../../providers/base/Upstream.ts"
import type { ConnectionRef } from "../../providers/ConnectionRef.ts"
import { Malformed, ProviderError } from "../../providers/ProviderError.ts"
import { formed, optional, otherwise, whole } from "../Fields.ts"

/** Reads, writes and sends mail, and manages labels. https://developers.google.com/workspace/gmail/api/auth/scopes */
export const modify = "https://www.googleapis.com/auth/gmail.modify"

/** The connected user's mailbox. */
export const root = "/gmail/v1/users/me"

const id = (description: string) => formed(description, /^[\w-]{1,128}$/, "an id, as another tool answered it")

export const messageId = id("Id of the message: `id` of a tool's answer.")
export const threadId = id("Id of the conversation: `thread_id` of a message.")
export const draftId = id("Id of the draft: `draft_id` of a tool's answer.")
export const labelId = id("Id of a label, such as `STARRED` or `Label_7`, from gmail_list_labels.")

/** Every entry of a page is read by a call of its own. */
export const limit = otherwise(whole("How many to answer, 1 to 50. 20 when left out.", 1, 50), 20)

export const cursor = optional(
  formed("Where the list goes on: `next_cursor` of the answer before.", /^[\w=-]{1,512}$/, "`next_cursor` of an answer")
)

export const calls = (call: Caller) => ({
  call,
  /** A call that answers one object. */
  one: (connection: ConnectionRef, request: Call): Effect.Effect<Native, ProviderError> =>
    Effect.flatMap(call(connection, request), ({ body, status }) =>
      isNative(body)
        ? Effect.succeed(body)
        : new ProviderError({
            provider: "gmail",
            operation: request.operation,
            reason: new Malformed(),
            status,
            detail: "the answer lacks what the API promises"
          })
    )
})

export type Calls = ReturnType<typeof calls>
