import { FindMyWay } from "@effect/platform/HttpLayerRouter"
import { Either, Option, Predicate, Record, Schema } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { isWithout } from "../../simulation/Features.ts"
import type { Feature, Reply, Route, SimulatedRequest } from "../../simulation/Simulator.ts"
import { badJson, fault, type Fault, noResource, refusal } from "./Faults.ts"

// Several requests in one; later ones refer to results of earlier ones.
// https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_composite_composite.htm
// https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/requests_composite.htm

type Checked<A> = Either.Either<A, Fault>

const Body = Schema.parseJson(
  Schema.Struct({
    allOrNone: Schema.optional(Schema.Boolean),
    collateSubrequests: Schema.optional(Schema.Boolean),
    compositeRequest: Schema.NonEmptyArray(
      Schema.Struct({
        method: Schema.Literal("GET", "POST", "PUT", "PATCH", "DELETE"),
        url: Schema.String,
        referenceId: Schema.String,
        body: Schema.optional(Schema.Unknown),
        httpHeaders: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String }))
      })
    )
  })
)

type Part = (typeof Body.Type)["compositeRequest"][number]

/** The most parts, and the most of them that are queries or about several records. */
const [most, mostQueries] = [25, 5]

const isQuery = ({ url }: Part) => /\/v[\d.]+\/(?:query|queryAll|composite\/sobjects)\b/i.test(url)

/** Headers of the whole request, which its parts may not have. */
const inherited = new Set(["accept", "authorization", "content-type"])

const inheritedOf = (headers: SimulatedRequest["headers"]) => Record.filter(headers, (_, name) => inherited.has(name))

const lowerCased = (headers: { readonly [name: string]: string } = {}) =>
  Record.mapKeys(headers, (name) => name.toLowerCase())

const wrong = (message: string) => Either.left(fault("INVALID_INPUT", message))

const partsIn = (text: string): Checked<typeof Body.Type> =>
  Either.gen(function* () {
    const body = yield* Either.mapLeft(Schema.decodeEither(Body)(text), () => badJson("Unexpected composite request"))
    const parts = body.compositeRequest
    if (parts.length > most) return yield* wrong(`The limit of ${most} subrequests was exceeded.`)
    if (parts.filter(isQuery).length > mostQueries) {
      return yield* wrong(`The limit of ${mostQueries} query and collection subrequests was exceeded.`)
    }
    const strange = parts.find(({ referenceId }) => !/^[a-z\d]\w*$/i.test(referenceId))
    if (strange !== undefined) {
      return yield* wrong(
        `Provided referenceId ('${strange.referenceId}') must start with a letter or a number, and it can contain only letters, numbers and underscores ('_').`
      )
    }
    if (new Set(parts.map(({ referenceId }) => referenceId)).size < parts.length) {
      return yield* wrong("Duplicate referenceId found in the composite request.")
    }
    const headers = parts.flatMap(({ httpHeaders = {} }) => Object.keys(httpHeaders))
    const taken = headers.find((name) => inherited.has(name.toLowerCase()))
    if (taken !== undefined) return yield* wrong(`The header ${taken} is not allowed in a subrequest.`)
    return body
  })

// References

const halted = (message: string) => refusal(fault("PROCESSING_HALTED", message))

/** The value in an answer at a path such as `records[0].Id`. */
const valueAt = (answer: unknown, path: string): unknown =>
  path
    .split(/[.[\]]+/)
    .filter((step) => step !== "")
    .reduce<unknown>(
      (value, step) =>
        Array.isArray(value) ? value[Number(step)] : Predicate.isReadonlyRecord(value) ? value[step] : undefined,
      answer
    )

/** A text with its references filled in. */
const filled = (text: string, answers: ReadonlyMap<string, unknown>): Either.Either<string, Reply> => {
  let lost: string | undefined
  const whole = text.replace(/@\{([^}]*)\}?/g, (_, reference: string) => {
    const [, name = "", path = ""] = /^(\w+)[.[]?(.*)$/.exec(reference) ?? []
    const value = valueAt(answers.get(name), path)
    if (value === undefined || value === null || typeof value === "object") lost ??= reference
    return String(value)
  })
  return lost === undefined
    ? Either.right(whole)
    : Either.left(halted(`Invalid reference specified. No value for ${lost} found in ${lost.split(/[.[]/)[0] ?? ""}`))
}

const filledIn = (value: unknown, answers: ReadonlyMap<string, unknown>): Either.Either<unknown, Reply> => {
  if (typeof value === "string") return filled(value, answers)
  if (Array.isArray(value)) return Either.all(value.map((one: unknown) => filledIn(one, answers)))
  return Predicate.isReadonlyRecord(value)
    ? Either.all(Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filledIn(one, answers)])))
    : Either.right(value)
}

// Undoing

/** The organisation, and how to undo changes to it from now on. */
const undoable = (org: Org) => {
  const undo: Array<() => void> = []
  const keep = (type: string, id: string) => {
    const before = org.get(type, id)
    undo.push(() => (before === undefined ? org.remove(type, id) : org.put(type, id, before)))
  }
  const held: Org = {
    ...org,
    put: (type, id, doc: Doc) => {
      keep(type, id)
      org.put(type, id, doc)
    },
    remove: (type, id) => {
      keep(type, id)
      org.remove(type, id)
    }
  }
  return { held, undo: () => undo.toReversed().forEach((back) => back()) }
}

const isFailure = ({ status }: Reply) => status >= 400

/** Answers several requests at once, each by one of `routes`. */
export const composite = (routes: ReadonlyArray<Route>) => {
  const router = FindMyWay.make<Route>({ ignoreTrailingSlash: true })
  for (const route of routes) router.on(route.method, `/${route.path.replace(/^\//, "")}`, route)

  const answer = (
    { body, httpHeaders, method }: Part,
    address: string,
    { headers }: SimulatedRequest,
    org: Org,
    features: ReadonlyArray<Feature>
  ): Reply => {
    const url = Option.getOrUndefined(Option.liftThrowable(() => new URL(address, "https://org"))())
    const found = url === undefined || method === "PUT" ? undefined : router.find(method, url.pathname)
    // neither content nor a composite request can be a part of one
    if (url === undefined || found === undefined || /\/(?:Content|VersionData|Body)$/.test(url.pathname)) {
      return refusal(noResource)
    }
    const text = body === undefined ? "" : JSON.stringify(body)
    const request: SimulatedRequest = {
      method,
      path: url.pathname,
      params: Object.fromEntries(Object.entries(found.params).map(([name, value]) => [name, value ?? ""])),
      query: url.searchParams,
      headers: { ...inheritedOf(headers), ...lowerCased(httpHeaders) },
      text,
      bytes: new TextEncoder().encode(text)
    }
    const refused = features
      .filter((feature) => isWithout(org, feature))
      .flatMap(({ refuse }) => refuse?.(request, org) ?? [])
    return refused[0] ?? found.handler.handle(request, org, features)
  }

  return (request: SimulatedRequest, org: Org, features: ReadonlyArray<Feature>): Reply =>
    Either.match(partsIn(request.text), {
      onLeft: refusal,
      onRight: ({ allOrNone = false, compositeRequest }) => {
        const { held, undo } = undoable(org)
        const answers = new Map<string, unknown>()
        const replies = compositeRequest.map((part) => {
          const reply = Either.merge(
            Either.map(Either.all([filled(part.url, answers), filledIn(part.body, answers)]), ([url, body]) =>
              answer({ ...part, body }, url, request, held, features)
            )
          )
          if (!isFailure(reply)) answers.set(part.referenceId, reply.body)
          return { part, reply }
        })
        const culprit = allOrNone ? replies.findIndex(({ reply }) => isFailure(reply)) : -1
        if (culprit >= 0) undo()
        const rolledBack = halted(
          "The transaction was rolled back since another operation in the same transaction failed."
        )
        return {
          status: 200,
          body: {
            compositeResponse: replies.map(({ part, reply }, i) => {
              const { body = null, headers = {}, status } = culprit >= 0 && i !== culprit ? rolledBack : reply
              return { body, httpHeaders: headers, httpStatusCode: status, referenceId: part.referenceId }
            })
          }
        }
      }
    })
}
