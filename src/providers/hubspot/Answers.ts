import { Effect } from "effect"
import { getPath, isNative } from "../../mapping/Mapping.ts"
import type { Slice } from "../axes/Paginator.ts"
import type { Answer, Call } from "../axes/Upstream.ts"
import type { NativeRecord } from "../ProviderAdapter.ts"
import { Malformed, ProviderError } from "../ProviderError.ts"

const malformed = (call: Call, status: number) =>
  new ProviderError({
    provider: "hubspot",
    operation: call.operation,
    reason: new Malformed(),
    status,
    detail: "the answer lacks what the API promises"
  })

/** One page of a list: `{results: [...], paging: {next: {after}}}`. */
export const readPage = (
  call: Call,
  nativeType: string,
  { body, status }: Answer
): Effect.Effect<Slice, ProviderError> => {
  const results = getPath(body, "results")
  if (!Array.isArray(results)) return Effect.fail(malformed(call, status))
  const after = getPath(body, "paging.next.after")
  return Effect.succeed({
    records: results.filter(isNative).map((record) => ({ nativeType, record })),
    next: after === undefined || after === null ? null : String(after)
  })
}

/** A single object. */
export const readRecord = (
  call: Call,
  nativeType: string,
  { body, status }: Answer
): Effect.Effect<NativeRecord, ProviderError> =>
  isNative(body) && body.id !== undefined
    ? Effect.succeed({ nativeType, record: body })
    : Effect.fail(malformed(call, status))
