import {
  type Account,
  basicOf,
  companies,
  dailySample,
  type Doc,
  people,
  type Reply,
  type Route,
  type SimulatedRequest,
  type Simulator
} from "tributary/simulator"

// Rolodex's API over records in memory

const failure = (status: number, error: string): Reply => ({ status, body: { error } })

const refusal = (name: string, said: string): Reply => ({
  status: 400,
  body: { errors: [], "field-errors": { [name]: said } }
})

interface Kind {
  readonly type: "lead" | "contact" | "user"
  readonly prefix: string
  /** Fields of a body, with the values of a new record without them; none for records that are only read. */
  readonly fields: Doc
}

const lead: Kind = {
  type: "lead",
  prefix: "lead",
  fields: { name: "", description: "", url: null, addresses: [] }
}
const contact: Kind = {
  type: "contact",
  prefix: "cont",
  fields: { name: "", title: "", lead_id: null, emails: [], phones: [] }
}
const user: Kind = { type: "user", prefix: "user", fields: {} }

const stamp = (account: Account) => new Date(account.now).toISOString().replace("Z", "000+00:00")

/** Makes a record; its id comes after all others in their order. */
const make = (account: Account, { fields, prefix, type }: Kind, body: Doc): Doc => {
  const id = `${prefix}_${String(account.nextId()).padStart(12, "0")}`
  const made = { ...fields, ...body, id, date_created: stamp(account), date_updated: stamp(account) }
  account.put(type, id, made)
  return made
}

/** Finds the first mistake in a body. */
const problemIn = (account: Account, { fields, type }: Kind, body: Doc) => {
  const unknown = Object.keys(body).find((name) => !(name in fields))
  if (unknown !== undefined) return refusal(unknown, "This field is not allowed.")
  const long = ["name", "title"].find((name) => typeof body[name] === "string" && body[name].length > 1000)
  if (long !== undefined) return refusal(long, "This field may hold 1000 characters at most.")
  const { lead_id } = body
  const isLost = type === "contact" && typeof lead_id === "string" && account.get("lead", lead_id) === undefined
  return isLost ? refusal("lead_id", "This lead does not exist.") : undefined
}

/** Labels that are left out are Rolodex's own. */
const labelled = (body: Doc): Doc =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      Array.isArray(value) && name !== "addresses"
        ? value.map((one: Doc) => ({ ...one, type: one.type ?? "office" }))
        : value
    ])
  )

const bodyOf = ({ text }: SimulatedRequest): Doc => labelled(JSON.parse(text))

/** The fields that are asked for. */
const shown = ({ query }: SimulatedRequest, record: Doc): Doc => {
  const fields = query.get("_fields")?.split(",")
  return fields === undefined
    ? record
    : Object.fromEntries(Object.entries(record).filter(([name]) => fields.includes(name)))
}

/** A number of the query, 0 or more. */
const countIn = ({ query }: SimulatedRequest, name: string, otherwise: number) => {
  const count = Number(query.get(name) ?? otherwise)
  return Number.isInteger(count) && count >= 0 ? count : undefined
}

const list =
  ({ type }: Kind): Route["handle"] =>
  (request, account) => {
    const [skip, limit] = [countIn(request, "_skip", 0), countIn(request, "_limit", 100)]
    if (skip === undefined || limit === undefined) return failure(400, "_skip and _limit must be integers.")
    if (limit > 100) return failure(400, "The _limit may be 100 at most.")
    const all = account.all(type)
    const data = all.slice(skip, skip + limit).map((record) => shown(request, record))
    return { status: 200, body: { data, has_more: skip + limit < all.length } }
  }

/** A route about one record. */
const one =
  ({ type }: Kind, answer: (record: Doc, request: SimulatedRequest, account: Account) => Reply): Route["handle"] =>
  (request, account) => {
    const record = account.get(type, request.params.id ?? "")
    return record === undefined
      ? failure(404, "The requested resource was not found.")
      : answer(record, request, account)
  }

const reading = (kind: Kind): ReadonlyArray<Route> => [
  { method: "GET", path: `/api/v1/${kind.type}/`, handle: list(kind) },
  {
    method: "GET",
    path: `/api/v1/${kind.type}/:id/`,
    handle: one(kind, (record, request) => ({ status: 200, body: shown(request, record) }))
  }
]

const writing = (
  kind: Kind,
  created: (account: Account, body: Doc) => Doc,
  removed: (account: Account, id: string) => void
): ReadonlyArray<Route> => [
  {
    method: "POST",
    path: `/api/v1/${kind.type}/`,
    handle: (request, account) => {
      const body = bodyOf(request)
      return problemIn(account, kind, body) ?? { status: 200, body: make(account, kind, created(account, body)) }
    }
  },
  {
    method: "PUT",
    path: `/api/v1/${kind.type}/:id/`,
    handle: one(kind, (record, request, account) => {
      const body = bodyOf(request)
      const problem = problemIn(account, kind, body)
      if (problem !== undefined) return problem
      const changed = { ...record, ...body, date_updated: stamp(account) }
      account.put(kind.type, String(record.id), changed)
      return { status: 200, body: changed }
    })
  },
  {
    method: "DELETE",
    path: `/api/v1/${kind.type}/:id/`,
    handle: one(kind, ({ id }, _, account) => {
      account.remove(kind.type, String(id))
      removed(account, String(id))
      return { status: 200, body: {} }
    })
  }
]

/** A contact without a lead gets one of its own name. */
const withLead = (account: Account, body: Doc): Doc => ({
  ...body,
  lead_id: body.lead_id ?? make(account, lead, { name: body.name }).id
})

/** The contacts of a lead go with it. */
const withContacts = (account: Account, id: string) => {
  for (const { id: own, lead_id } of account.all("contact")) if (lead_id === id) account.remove("contact", String(own))
}

const sample = (account: Account) => {
  const leads = companies(12).map(({ city, country, name, street }) =>
    make(account, lead, { name, addresses: [{ address_1: street, city, country }] })
  )
  for (const [i, { email, first, last, title }] of people(30, 12).entries()) {
    const { id } = leads[i % leads.length] ?? {}
    make(account, contact, {
      name: `${first} ${last}`,
      title,
      lead_id: id,
      emails: [{ email, type: "office" }]
    })
  }
  for (const [first_name, last_name] of [
    ["Bruce", "Wayne"],
    ["Selina", "Kyle"]
  ]) {
    make(account, user, { first_name, last_name, email: `${first_name}@rolodex.example` })
  }
}

const me: Route = {
  method: "GET",
  path: "/api/v1/me/",
  handle: (_, { name }) => ({
    status: 200,
    body: { organizations: [{ id: `orga_${name}`, name: "A simulated company" }] }
  })
}

export const simulator: Simulator = {
  slug: "rolodex",
  routes: [
    me,
    ...reading(lead),
    ...writing(lead, (_, body) => body, withContacts),
    ...reading(contact),
    ...writing(contact, withLead, () => {}),
    ...reading(user)
  ],
  tokenOf: (request) => basicOf(request)?.user,
  sample: dailySample(sample),
  failures: {
    unauthorized: failure(401, "The API key is not valid."),
    notFound: () => failure(404, "The requested resource was not found."),
    methodNotAllowed: () => failure(405, "The method is not allowed for the requested URL."),
    rateLimited: (retryAfter) => ({
      ...failure(429, "API call count exceeded."),
      headers: { ratelimit: `limit=100, remaining=0, reset=${retryAfter}` }
    }),
    broken: (status) => failure(status, "Something went wrong.")
  }
}
