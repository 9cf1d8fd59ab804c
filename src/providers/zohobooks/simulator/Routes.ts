import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Route } from "../../simulation/Simulator.ts"
import type { Settled } from "../../simulation/table/Complaint.ts"
import { remove, shown, write } from "../../simulation/table/Kind.ts"
import { asked, bodyOf, type Handler, none, readRoutes, type Verb } from "../../simulation/table/Routes.ts"
import { failure, refuse, styleOf } from "./Answers.ts"
import { stamp } from "./Fields.ts"
import type { Defined } from "./Lists.ts"

/** Writes a record, with what follows from it. */
export const enter = (account: Account, defined: Defined, body: Doc, before?: Doc): Settled<Doc> =>
  Either.map(write(account, defined.kind, body, before), (record) => {
    defined.follow?.(account, record, before)
    return record
  })

/** Changes the state of a record; a text is a refusal. */
export const act = (account: Account, { actions, follow, kind }: Defined, path: string, record: Doc): Doc | string => {
  const after = actions?.[path]?.(account, record) ?? `No action ${path}`
  if (typeof after === "string") return after
  const kept = { ...after, last_modified_time: stamp(account.now) }
  account.put(kind.name, String(record[kind.id ?? "id"]), kept)
  follow?.(account, kept, record)
  return kept
}

/** The routes of a module. */
export const routesOf = (defined: Defined): ReadonlyArray<Route> => {
  const { actions = {}, follow, kind, module, stays } = defined
  const style = styleOf(module)
  const answer = (account: Account, record: Doc, verb: Verb) => style.one(shown(account, kind.fields, record), verb)
  const found = (account: Account, id: string | undefined) =>
    Either.fromNullable(account.get(kind.name, id ?? ""), () => style.missing(kind.name))

  const written =
    (verb: "create" | "update"): Handler =>
    (request, account) =>
      Either.gen(function* () {
        yield* asked(style, none, request, account)
        const body = yield* bodyOf(style, request)
        const before = verb === "create" ? undefined : yield* found(account, request.params["id"])
        const record = yield* Either.mapLeft(enter(account, defined, body, before), refuse)
        return answer(account, record, verb)
      })

  const removed: Handler = (request, account) =>
    Either.gen(function* () {
      const record = yield* found(account, request.params["id"])
      const why = stays?.(account, record)
      if (why !== undefined) return failure(400, 1038, why)
      remove(account, kind, record)
      follow?.(account, undefined, record)
      return answer(account, record, "remove")
    })

  const acted =
    (path: string): Handler =>
    (request, account) =>
      Either.gen(function* () {
        const record = yield* found(account, request.params["id"])
        const after = act(account, defined, path, record)
        return typeof after === "string"
          ? failure(400, 1038, after)
          : { status: 200, body: { code: 0, message: `${module.noun} status has been changed.` } }
      })

  return [
    ...readRoutes(style, kind),
    ...style.route("POST", kind.name, "create", written("create")),
    ...style.route("PUT", `${kind.name}/:id`, "update", written("update")),
    ...style.route("DELETE", `${kind.name}/:id`, "remove", removed),
    ...Object.keys(actions).flatMap((path) => style.route("POST", `${kind.name}/:id/${path}`, "update", acted(path)))
  ]
}
