import { HttpClientRequest } from "@effect/platform"
import { Effect, Predicate } from "effect"
import { getPath } from "../../src/mapping/Mapping.ts"
import { client, connect, type Simulator } from "../../src/providers/simulation/Simulator.ts"
import type { Shape } from "./Shape.ts"

type Parameters = { readonly [name: string]: string }

/** Records that paths and bodies name: those of a list, or of several lists together. */
export interface Named {
  readonly request: string
  readonly query?: Parameters
  readonly body?: unknown
  /** Only records in which these members have these values. */
  readonly where?: { readonly [path: string]: unknown }
  /** Path of the records in the answer, where it is not the one that `records` states. */
  readonly records?: string
  /** Path of the id, where it is not `id` of the requests. */
  readonly id?: string
}

/** How the recorded requests of a provider are sent to its simulator. */
export interface Requests {
  /** The `Authorization` header for an access token. */
  readonly authorization: (token: string) => string
  /** Other headers that every request needs. */
  readonly headers?: (account: string) => Parameters
  /** Changes the addresses of the shapes to those of the simulated account. */
  readonly address?: (path: string, account: string) => string
  /** Query parameters by request, `*` for all of them. A request with several sets is sent once with each. */
  readonly query?: { readonly [request: string]: Parameters | ReadonlyArray<Parameters> }
  /** Query parameters that name the account. */
  readonly accountQuery?: (account: string) => Parameters
  /**
   * Bodies to send, by request. `{name}` is the id of a named record, `{name.path}` another of its members. For GraphQL, the
   * arguments of the field in brackets.
   */
  readonly bodies?: { readonly [request: string]: ReadonlyArray<unknown> }
  /** Requests to send before all others, since the sample data has no such records. */
  readonly first?: ReadonlyArray<string>
  /** Path of the record or the records in an answer, by request; `*` for all others, `{id}` for a record alone. */
  readonly records: { readonly [request: string]: string }
  /** Lists of paths at which the answers hold records of one kind with the same members. */
  readonly alike?: ReadonlyArray<ReadonlyArray<string>>
  /** Path of a record's id. */
  readonly id: string
  /** Records by the name that paths and bodies use; `{token}` is the access token. */
  readonly named?: { readonly [name: string]: Named }
  /** The named records whose ids a request with `{id}` takes. Without an entry: those of the same path without `{id}`. */
  readonly ids?: { readonly [request: string]: string }
}

/** A record that a name stands for. */
interface Found {
  readonly id: string
  readonly record: unknown
}

/** Records that are asked for by themselves. */
const mostIds = 30

const isOne = (path: string) => /\{\w+\}/.test(path)

/** Path of the record or the records in the answer to a request. */
export const recordsIn = ({ records }: Requests, request: string): string =>
  records[request] ?? (isOne(request) ? records["{id}"] : undefined) ?? records["*"] ?? ""

/** Bodies to send a request with; undefined if it needs one that is not stated. */
const bodiesOf = ({ bodies }: Requests, request: string): ReadonlyArray<unknown> | undefined => {
  if (request.startsWith("GET ")) return [undefined]
  return bodies?.[request] ?? (request.startsWith("DELETE ") ? [undefined] : bodies?.["*"])
}

const mapTexts = (value: unknown, map: (text: string) => unknown): unknown => {
  if (typeof value === "string") return map(value)
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, map))
  if (!Predicate.isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, map)]))
}

const namesIn = (value: unknown): ReadonlyArray<string> => {
  const found = new Set<string>()
  mapTexts(value, (text) => {
    for (const [, name = ""] of text.matchAll(/\{(\w+)(?:\.[\w.]+)?\}/g)) found.add(name)
    return text
  })
  return [...found]
}

const idOf = (record: unknown, path: string): string => {
  const id = path === "" ? record : getPath(record, path)
  return String(Predicate.isRecord(id) ? Object.values(id).at(-1) : id)
}

/** Puts the ids, or other members, of named records into texts. A text that is one name becomes the value as it is. */
const fillIn = (value: unknown, named: ReadonlyMap<string, Found>): unknown => {
  const valueOf = (name: string, path: string | undefined) =>
    path === undefined ? named.get(name)?.id : getPath(named.get(name)?.record, path)
  return mapTexts(value, (text) => {
    const [, name = "", path] = /^\{(\w+)(?:\.([\w.]+))?\}$/.exec(text) ?? []
    if (named.has(name)) return valueOf(name, path)
    return text.replace(/\{(\w+)(?:\.([\w.]+))?\}/g, (whole, one: string, member?: string) =>
      named.has(one) ? String(valueOf(one, member)) : whole
    )
  })
}

const fillInAll = (texts: Parameters, named: ReadonlyMap<string, Found>): Parameters =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, String(fillIn(text, named))]))

const several = <A>(value: A | ReadonlyArray<A> | undefined): ReadonlyArray<A | undefined> =>
  value === undefined ? [undefined] : Array.isArray(value) ? value : [value as A]

const withBody = (request: HttpClientRequest.HttpClientRequest, body: unknown) => {
  if (body === undefined) return request
  return typeof body === "string"
    ? HttpClientRequest.bodyText(request, body, "application/text")
    : HttpClientRequest.bodyUnsafeJson(request, body)
}

/** Members of GraphQL answers that hold a record, which recordings may show as null only. */
const links = new Set(["assignee", "creator", "cycle", "lead", "nodes", "parent", "project", "team"])

/** A GraphQL document that asks for the members of a recorded answer. `call`: the arguments of the root field, in brackets. */
const writeDocument = (field: string, call: string, shape: Shape) => {
  const select = (path: string): string => {
    const members = Object.keys(shape)
      .filter((one) => one.startsWith(`${path}.`) || one.startsWith(`${path}[].`))
      .map((one) => one.slice(path.length).replace(/^(?:\[\])?\./, ""))
      .filter((one) => !/[.[]/.test(one))
    if (members.length === 0) return links.has(path.replace(/.*\./, "")) ? " { id }" : ""
    const inner = `${path}${`${path}[]` in shape ? "[]" : ""}`
    return ` { ${members.map((member) => `${member}${select(`${inner}.${member}`)}`).join(" ")} }`
  }
  const kind = `data.${field}.success` in shape ? "mutation" : "query"
  return { query: `${kind} { ${field}${call}${select(`data.${field}`)} }` }
}

/** Sends requests of the shapes to a new simulated account. */
export const openAccount = Effect.fnUntraced(function* (simulator: Simulator, how: Requests) {
  const account = "acme"
  const http = yield* client(simulator)
  const { accessToken } = yield* connect(simulator, account, 3600)

  /** The address of a request in this account, with the names of records. */
  const addressOf = (request: string) => {
    const [path = ""] = (request.split(" ")[1] ?? "").split("#")
    return how.address?.(path, account) ?? path
  }

  const send = Effect.fnUntraced(function* (request: string, path: string, query: Parameters = {}, body?: unknown) {
    const [method] = request.split(" ")
    const known = (["POST", "PUT", "PATCH", "DELETE"] as const).find((one) => one === method) ?? "GET"
    const bare = HttpClientRequest.make(known)(`https://api.example.com${path}`).pipe(
      HttpClientRequest.setHeaders({
        ...how.headers?.(account),
        authorization: how.authorization(accessToken),
        "user-agent": "test"
      }),
      HttpClientRequest.setUrlParams({ ...how.accountQuery?.(account), ...query })
    )
    const response = yield* http.execute(withBody(bare, body))
    const text = yield* response.text
    if (response.status >= 300) {
      return yield* Effect.fail(`${request}: the simulator answers ${response.status} ${text.slice(0, 400)}`)
    }
    const answer: unknown = text === "" ? undefined : JSON.parse(text)
    // GraphQL answers 200 to what it refuses
    if (path.endsWith("/graphql") && getPath(answer, "errors") !== undefined) {
      return yield* Effect.fail(`${request}: the simulator answers ${text.slice(0, 400)}`)
    }
    return answer
  })

  const find: (name: string, named: Named) => Effect.Effect<ReadonlyArray<Found>, unknown> = Effect.fnUntraced(
    function* (name: string, { body, id, query, records, request, where = {} }: Named) {
      const bare = addressOf(request)
      const parameters = { ...several(how.query?.["*"])[0], ...several(how.query?.[request])[0], ...query }
      const names = yield* firstOf(request, namesIn([bare, parameters]))
      const sent = body ?? bodiesOf(how, request)?.[0]
      const answer = yield* send(request, String(fillIn(bare, names)), fillInAll(parameters, names), sent)
      const at = records ?? recordsIn(how, request)
      const list = at === "" ? answer : getPath(answer, at)
      const found = (Array.isArray(list) ? list : [list]).filter((record: unknown) =>
        Object.entries(where).every(([member, value]) => getPath(record, member) === value)
      )
      if (found.length === 0 || list === undefined) return yield* Effect.fail(`${name}: ${request} has no such record`)
      return found.map((record: unknown) => ({ id: idOf(record, id ?? how.id), record }))
    }
  )

  /** The records that a name stands for. */
  const look = Effect.fnUntraced(function* (request: string, name: string) {
    if (name === "token") return [{ id: accessToken, record: undefined }]
    const named = how.named?.[name === "id" ? (how.ids?.[request] ?? "") : name]
    if (named !== undefined) return yield* find(name, named)
    if (name !== "id") return yield* Effect.fail(`${request}: {${name}} is not among the named records`)
    const list = request.replace(/^\w+/, "GET").replace(/\/\{\w+\}.*$/, request.endsWith("/") ? "/" : "")
    return yield* find(name, { request: list })
  })

  const firstOf = Effect.fnUntraced(function* (request: string, names: ReadonlyArray<string>) {
    const first = new Map<string, Found>()
    for (const name of names) {
      const [found] = yield* look(request, name)
      if (found !== undefined) first.set(name, found)
    }
    return first
  })

  /** Every answer to a request: one for each set of parameters, each body, and each record that its path names. */
  return Effect.fnUntraced(function* (request: string, shape: Shape) {
    const method = request.replace(/ .*/, "")
    const path = addressOf(request)
    const [all] = several(how.query?.["*"])
    const [, field] = request.split("#")
    const stated = bodiesOf(how, request)
    const bodies = field === undefined ? stated : stated?.map((call) => writeDocument(field, String(call), shape))
    if (bodies === undefined) return yield* Effect.fail(`${request}: the requests state no body`)
    const answers: Array<unknown> = []
    for (const query of several(how.query?.[request])) {
      for (const body of bodies) {
        const inPath = namesIn(path)
        const last = inPath.at(-1)
        const others = [...inPath.slice(0, -1), ...namesIn([body, query])].filter((name) => name !== last)
        const known = yield* firstOf(request, others)
        const records = last === undefined ? [undefined] : yield* look(request, last)
        for (const record of records.slice(0, method === "GET" ? mostIds : 1)) {
          const named = new Map(known)
          if (last !== undefined && record !== undefined) named.set(last, record)
          const parameters = fillInAll({ ...all, ...query }, named)
          answers.push(yield* send(request, String(fillIn(path, named)), parameters, fillIn(body, named)))
        }
      }
    }
    return answers.filter((answer) => answer !== undefined)
  })
})
