import { Either, Schema } from "effect"
import type { Account, Doc } from "../Account.ts"
import type { Method, Reply, Route, SimulatedRequest } from "../Simulator.ts"
import type { Problem, Settled } from "./Complaint.ts"
import { allOf, type Kind, type Readable, recordOf, remove, type Show, shown, write } from "./Kind.ts"
import type { Pages } from "./Pages.ts"
import { filtered, type Parameters } from "./Query.ts"

export type Verb = "list" | "get" | "create" | "update" | "remove"

/** A handler's result: a response, or the provider's refusal. */
export type Answered<A = Reply> = Either.Either<A, Reply>

export type Handler = (request: SimulatedRequest, account: Account) => Answered

/** The conventions of one API of a provider. */
export interface Style {
  /** A route under each address of the API; counts the cost of a verb. */
  readonly route: (method: Method, path: string, verb: Verb, handle: Handler) => ReadonlyArray<Route>
  readonly update: Method
  /** Pattern of ids; anything else finds nothing. */
  readonly id: RegExp
  readonly pages: Pages
  /** The refusal of a request with faulty parameters or a faulty body. */
  readonly refuse: (problems: ReadonlyArray<Problem>, place: "query" | "body") => Reply
  readonly missing: (name: string) => Reply
  /** Unwraps the record from a body, where it is inside a member. */
  readonly body?: (body: Doc) => Doc
  readonly one: (record: Doc, verb: Verb) => Reply
  readonly many: (records: ReadonlyArray<Doc>, place: Doc) => Reply
}

const readObject = Schema.decodeEither(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

/** A request's body, which must be a JSON object. */
export const bodyOf = ({ body, refuse }: Style, request: SimulatedRequest): Answered<Doc> =>
  Either.mapBoth(readObject(request.text), {
    onLeft: () => refuse([{ path: "body", complaint: { is: "type", type: "object" } }], "body"),
    onRight: (read) => body?.(read) ?? read
  })

/** Values of a request's parameters; unknown parameters are refused. */
export const asked = <A>(
  { refuse }: Style,
  { names, read }: Parameters<A>,
  { query }: SimulatedRequest,
  account: Account
): Answered<A> => {
  const unknown = [...new Set(query.keys())].filter((name) => !names.includes(name))
  const settled: Settled<A> =
    unknown.length > 0
      ? Either.left(unknown.map((path) => ({ path, complaint: { is: "not allowed" } })))
      : read((name) => query.get(name) ?? undefined, account)
  return Either.mapLeft(settled, (problems) => refuse(problems, "query"))
}

export const none: Parameters<undefined> = { names: [], read: () => Either.right(undefined) }

const isKind = (kind: Readable): kind is Kind => "fields" in kind

const plain = (kind: Readable): Parameters<Show> => ({
  names: [],
  read: () => Either.right((account, record) => (isKind(kind) ? shown(account, kind.fields, record) : record))
})

const viewOf = (kind: Readable) => kind.view ?? plain(kind)

/** A list of a kind's records. */
export const list = (style: Style, kind: Readable): Handler => {
  const [filter, view, pages] = [filtered(kind.filters ?? []), viewOf(kind), style.pages(kind.sorts)]
  const isListed = kind.isListed ?? ((record: Doc) => kind.isGone?.(record) !== true)
  const parameters: Parameters<Reply> = {
    names: [...filter.names, ...view.names, ...pages.names],
    read: (query, account) =>
      Either.gen(function* () {
        const show = yield* view.read(query, account)
        const passes = yield* filter.read(query, account)
        const cut = yield* pages.read(query, account)
        const { place, records } = cut(allOf(account, kind).filter((record) => isListed(record) && passes(record)))
        return style.many(
          records.map((record) => show(account, record)),
          place
        )
      })
  }
  return (request, account) => asked(style, parameters, request, account)
}

export const listRoute = (style: Style, kind: Readable): ReadonlyArray<Route> =>
  style.route("GET", kind.name, "list", list(style, kind))

/** The list and the single read of a kind. */
export const readRoutes = (style: Style, kind: Readable): ReadonlyArray<Route> => [
  ...listRoute(style, kind),
  ...style.route("GET", `${kind.name}/:id`, "get", (request, account) =>
    Either.gen(function* () {
      const show = yield* asked(style, viewOf(kind), request, account)
      return style.one(show(account, yield* found(style, kind, request, account)), "get")
    })
  )
]

const found = (style: Style, kind: Readable, { params: { id = "" } }: SimulatedRequest, account: Account) => {
  const record = style.id.test(id) ? recordOf(account, kind, id) : undefined
  return Either.fromNullable(record, () => style.missing(kind.name))
}

/** The routes of a kind that can be read and written. */
export const routesOf = (style: Style, kind: Kind): ReadonlyArray<Route> => {
  /** A record as the response to a write shows it, as without parameters. */
  const answer = (account: Account, record: Doc, verb: Verb) =>
    Either.mapBoth(
      viewOf(kind).read(() => undefined, account),
      {
        onLeft: (problems) => style.refuse(problems, "query"),
        onRight: (show) => style.one(show(account, record), verb)
      }
    )
  const written = (account: Account, body: Doc, before?: Doc) =>
    Either.mapLeft(write(account, kind, body, before), (problems) => style.refuse(problems, "body"))
  const isGone = kind.isGone ?? (() => false)
  return [
    ...readRoutes(style, kind),
    ...style.route("POST", kind.name, "create", (request, account) =>
      Either.gen(function* () {
        yield* asked(style, none, request, account)
        return yield* answer(account, yield* written(account, yield* bodyOf(style, request)), "create")
      })
    ),
    ...style.route(style.update, `${kind.name}/:id`, "update", (request, account) =>
      Either.gen(function* () {
        yield* asked(style, none, request, account)
        const body = yield* bodyOf(style, request)
        const record = yield* found(style, kind, request, account)
        if (isGone(record) && kind.restores?.(body) !== true) return yield* Either.left(style.missing(kind.name))
        return yield* answer(account, yield* written(account, body, record), "update")
      })
    ),
    ...style.route("DELETE", `${kind.name}/:id`, "remove", (request, account) =>
      Either.gen(function* () {
        yield* asked(style, none, request, account)
        const record = yield* found(style, kind, request, account)
        if (isGone(record)) return yield* Either.left(style.missing(kind.name))
        remove(account, kind, record)
        return style.one(record, "remove")
      })
    )
  ]
}
