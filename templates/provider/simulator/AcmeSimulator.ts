import { Either } from "effect"
import {
  type Complaint,
  cursorPages,
  dailySample,
  type Doc,
  leftOf,
  type Reply,
  type Route,
  routesOf,
  type SimulatedRequest,
  type Simulator,
  type Style,
  type WindowLimit
} from "tributary/simulator"
import { contacts, sample } from "./crm/Contacts.ts"

// Acme's API in memory, written from https://developer.acme.example, never from the adapter

const failure = (status: number, message: string, fields: Doc = {}): Reply => ({
  status,
  body: { error: { message, fields } }
})

/** What is wrong with a value, in Acme's words. https://developer.acme.example/errors */
const said = (complaint: Complaint): string => {
  switch (complaint.is) {
    case "type":
      return `must be of the type ${complaint.type}`
    case "empty":
    case "required":
      return "must not be empty"
    case "length":
      return `must have ${complaint.bound} characters at most`
    case "choice":
      return `must be one of ${complaint.choices.join(", ")}`
    case "not allowed":
      return "is not known"
    case "refused":
      return complaint.words
    default:
      return "is not valid"
  }
}

const style: Style = {
  route: (method, path, _, handle): ReadonlyArray<Route> => [
    { method, path: `/v1/${path}`, handle: (request, account) => Either.merge(handle(request, account)) }
  ],
  update: "PATCH",
  id: /^[a-z]+_\d+$/,
  pages: cursorPages({
    size: "limit",
    usual: 50,
    most: 100,
    cursor: "after",
    by: "sort",
    direction: "direction",
    id: "id",
    place: (next) => ({ next })
  }),
  refuse: (problems) =>
    failure(
      400,
      "Some values are not valid.",
      Object.fromEntries(problems.map(({ complaint, path }) => [path, said(complaint)]))
    ),
  missing: (kind) => failure(404, `There is no such record among the ${kind}.`),
  one: (data, verb) =>
    verb === "remove" ? { status: 204 } : { status: verb === "create" ? 201 : 200, body: { data } },
  many: (data, place) => ({ status: 200, body: { data, ...place } })
}

const tooMany = (retryAfter: number): Reply => ({
  ...failure(429, "Too many calls in a minute."),
  headers: { "retry-after": String(Math.ceil(retryAfter)) }
})

/** Calls of an account. https://developer.acme.example/limits */
const minute: WindowLimit = { name: "minute", most: 600, window: 60_000, refuse: tooMany }

const me: Route = {
  method: "GET",
  path: "/v1/me",
  handle: (_, { name }) => ({ status: 200, body: { data: { account_id: name, account_name: "A simulated account" } } })
}

const bearerOf = ({ headers }: SimulatedRequest) => /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1]

export const simulator: Simulator = {
  slug: "acme",
  routes: [me, ...routesOf(style, contacts)],
  kinds: [contacts],
  tokenOf: bearerOf,
  sample: dailySample(sample),
  failures: {
    unauthorized: failure(401, "The API key is not valid."),
    notFound: () => failure(404, "There is no such address."),
    methodNotAllowed: () => failure(405, "The address does not take this method."),
    rateLimited: tooMany,
    broken: (status) => failure(status, "Something went wrong.")
  },
  limits: { windows: [minute] },
  headers: (account) => ({ "x-ratelimit-remaining": String(leftOf(account, minute)) })
}
