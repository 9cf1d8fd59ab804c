import { Effect } from "effect"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { type Doc, errorsOf, pageOf, SandboxApplication } from "./SandboxApplication.ts"

interface Asked {
  readonly provider: "pipedrive" | "zoho_crm"
  readonly resource: string
  /** The native types that the resource's records are of, or that are written with them. */
  readonly types: ReadonlyArray<string>
  /** Records to try at most; absent: all of them. */
  readonly most?: number
}

/** What of the provider's records another write of the records as they were read changed: one line each, with the fields. */
export const changedByWritingBack = Effect.fnUntraced(function* ({
  most = Infinity,
  provider,
  resource,
  types
}: Asked) {
  const caller = yield* (yield* SandboxApplication).caller([provider])
  const store = yield* SimulationStore
  const held = Effect.forEach(types, (type) =>
    Effect.map(
      store.run(provider, caller.connections[provider] ?? "", (account) => account.entries(type)),
      (entries) => new Map([...(entries ?? [])].map(([id, doc]): [string, Doc] => [`${type} ${id}`, doc]))
    )
  ).pipe(Effect.map((maps) => new Map(maps.flatMap((map) => [...map]))))
  // an account gets its sample with the first call
  yield* caller.call("GET", `/crm/${resource}?provider=${provider}&limit=1`)
  const before = yield* held
  const wrong: Array<string> = []
  let tried = 0
  for (let cursor: string | null = null; ;) {
    const query = `provider=${provider}&limit=100${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
    const page: ReturnType<typeof pageOf> = pageOf(yield* caller.call("GET", `/crm/${resource}?${query}`))
    for (const record of page.data) {
      if (tried >= most) break
      tried += 1
      for (const method of ["PATCH", "PUT"]) {
        const path = `/crm/${resource}/${String(record.remote_id)}?provider=${provider}`
        const answer = yield* caller.call(method, path, { body: record })
        // the catalogue takes no empty value of a field that a full body needs
        const isEmptyOnly =
          answer.status === 422 && Object.keys(errorsOf(answer)).every((name) => record[name] === null)
        if (answer.status !== 200 && !isEmptyOnly) {
          wrong.push(
            `${method} ${resource} ${String(record.remote_id)}: ${answer.status} ${JSON.stringify(answer.body)}`
          )
        }
      }
    }
    cursor = page.pagination.cursor
    if (cursor === null || tried >= most) break
  }
  const after = yield* held
  for (const [name, doc] of after) {
    const old = before.get(name)
    const fields = Object.keys(doc).filter((field) => JSON.stringify(doc[field]) !== JSON.stringify(old?.[field]))
    const told = fields.map((field) => `${field}: ${JSON.stringify(old?.[field])} -> ${JSON.stringify(doc[field])}`)
    if (fields.length > 0) wrong.push(`${name}: ${told.join(", ")}`)
  }
  return { tried, wrong }
})
