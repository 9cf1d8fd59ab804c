import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { find } from "../../src/canonical/Catalogue.ts"
import type { Category } from "../../src/canonical/Resource.ts"
import { type Doc, errorsOf, pageOf, recordOf, SandboxApplication } from "./SandboxApplication.ts"

/** The fields of a record that a body may have. */
const bodyOf = (category: Category, resource: string, record: Doc): Doc => {
  const fields = find(category, resource)?.fields ?? {}
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => {
      const access = fields[name]?.access
      return fields[name] !== undefined && access !== "ro" && access !== "computed"
    })
  )
}

/**
 * Sends records back as they were read, with a PUT and with a PATCH, and fails for each that is then otherwise at the
 * provider. `most`: records of the resource that are tried.
 */
export const assertSentBackUnchanged = Effect.fnUntraced(function* (
  provider: string,
  resource: string,
  most: number,
  category: Category = "crm"
) {
  const { call } = yield* (yield* SandboxApplication).caller([provider])
  const at = (id?: unknown, query = "") =>
    `/${category}/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=${provider}${query}`
  const ids: Array<unknown> = []
  let cursor: string | null = ""
  while (ids.length < most && cursor !== null) {
    const from: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
    const { data, pagination } = pageOf(yield* call("GET", at(undefined, `&limit=100${from}`)))
    ids.push(...data.map(({ remote_id }) => remote_id))
    cursor = pagination.cursor
  }
  const problems: Array<string> = []
  for (const id of ids.slice(0, most)) {
    const read = Effect.map(call("GET", at(id, "&include_remote_data=true")), recordOf)
    const before = yield* read
    for (const method of ["PUT", "PATCH"] as const) {
      const answer = yield* call(method, at(id), { body: bodyOf(category, resource, before) })
      if (answer.status >= 300) problems.push(`${method} ${String(id)}: ${JSON.stringify(errorsOf(answer))}`)
      const after = yield* read
      if (JSON.stringify(after.remote_data) !== JSON.stringify(before.remote_data)) {
        problems.push(
          `${method} ${String(id)}: ${JSON.stringify(before.remote_data)} became ${JSON.stringify(after.remote_data)}`
        )
      }
    }
  }
  assert.isAbove(ids.length, 0, `${provider} ${resource} has no records`)
  assert.deepStrictEqual(problems.slice(0, 3), [], `${problems.length} of ${2 * Math.min(most, ids.length)} writes`)
})
