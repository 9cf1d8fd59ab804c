import { Effect } from "effect"
import { isNative, type Native } from "../../mapping/Mapping.ts"
import type { Answer, Call } from "../base/Upstream.ts"
import { Malformed, Missing, ProviderError, type Reason } from "../ProviderError.ts"

/** https://www.zoho.com/crm/developer/docs/api/v8/ */
export const api = "/crm/v8"

export const failure = (operation: string, reason: Reason, detail?: string) =>
  new ProviderError({ provider: "zoho_crm", operation, reason, ...(detail === undefined ? {} : { detail }) })

/** The objects under a key of an answer; 204 stands for none. */
export const rowsOf = (
  { operation }: Call,
  key: string,
  { body, status }: Answer
): Effect.Effect<ReadonlyArray<Native>, ProviderError> => {
  if (status === 204) return Effect.succeed([])
  const rows = isNative(body) ? body[key] : undefined
  return Array.isArray(rows) && rows.every(isNative)
    ? Effect.succeed(rows)
    : failure(operation, new Malformed(), `the answer has no ${key}`)
}

/** The one object that a call asked for. */
export const rowOf = (call: Call, key: string, answer: Answer): Effect.Effect<Native, ProviderError> =>
  Effect.flatMap(rowsOf(call, key, answer), ([row]): Effect.Effect<Native, ProviderError> =>
    row === undefined ? failure(call.operation, new Missing()) : Effect.succeed(row)
  )

/** Ids are long numbers; other texts would be taken for something else in a path. */
export const idForm = /^\d{1,19}$/
