import { Effect } from "effect"
import type { Category } from "../../src/canonical/Resource.ts"
import { NotedRequests } from "../../src/testing/contract/NotedRequests.ts"
import { type Call, type Doc, pageOf, recordOf } from "./SandboxApplication.ts"

export type Wanted = { readonly [filter: string]: string }

export const idsOf = (records: ReadonlyArray<Doc>) => records.map(({ remote_id }) => String(remote_id)).toSorted()

/** Lists of one provider as filters cut them down, and what they ask of it. */
export const filteredLists = (provider: string, category: Category = "crm") => {
  const at = (resource: string, wanted: Wanted = {}) =>
    `/${category}/${resource}?${new URLSearchParams({ provider, ...wanted }).toString()}`

  const listed = (call: Call, resource: string, wanted?: Wanted) =>
    Effect.map(call("GET", `${at(resource, wanted)}&limit=100`), (answer) => pageOf(answer).data)

  const made = (call: Call, resource: string, body: Doc) =>
    Effect.map(call("POST", at(resource), { body }), (answer) => String(recordOf(answer).remote_id))

  /** The paths that a list of a hundred asks for. */
  const asked = (call: Call, resource: string, wanted: Wanted) =>
    Effect.flatMap(NotedRequests, ({ during }) =>
      Effect.map(during(listed(call, resource, wanted)), (requests) => requests.map(({ path }) => path))
    )

  return { at, listed, made, asked }
}
