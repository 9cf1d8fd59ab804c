import { HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Predicate, Schema, TestClock } from "effect"
import { readFileSync } from "node:fs"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { client, connect } from "../../../src/providers/simulation/Simulator.ts"
import { line } from "../../../src/providers/zohobooks/simulator/Lines.ts"
import { cost, side } from "../../../src/providers/zohobooks/simulator/Entries.ts"
import { person } from "../../../src/providers/zohobooks/simulator/Lists.ts"
import { paid, received } from "../../../src/providers/zohobooks/simulator/Settlements.ts"
import { modules, simulator } from "../../../src/providers/zohobooks/simulator/ZohoBooksSimulator.ts"
import shapes from "../../recorded/shapes/zoho_books.json" with { type: "json" }
import { full } from "../../support/Full.ts"

/**
 * The members and their types in Zoho's published OpenAPI description of Books (https://www.zoho.com/books/api/v3/), which
 * judges what the simulator answers, and what it takes; it refuses what it does not take, so the adapter's requests too.
 */
const Described = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

const described = new Map(
  readFileSync(new URL("description.txt", import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((text) => {
      const [, module = "", part = "", json = ""] = /^(\S+) (\S+) (.*)$/.exec(text) ?? []
      return [`${module} ${part}`, Schema.decodeSync(Described)(json)] as const
    })
)

/** Members that the description leaves out, though Zoho's own pages and answers have them. */
const beyond: { readonly [module: string]: ReadonlyArray<string> } = {
  contacts: ["first_name", "last_name", "email", "phone", "mobile"],
  items: [
    "account_id",
    "created_time",
    "inventory_account_id",
    "item_type",
    "last_modified_time",
    "purchase_account_id",
    "purchase_description",
    "purchase_rate",
    "unit"
  ],
  chartofaccounts: ["show_on_dashboard", "is_user_created"],
  invoices: [
    "line_items.account_id",
    "line_items.account_name",
    "line_items.customer_id",
    "line_items.is_billable",
    "line_items.line_item_id"
  ],
  creditnotes: [
    "currency_id",
    "exchange_rate",
    "is_inclusive_tax",
    "last_modified_time",
    "sub_total",
    "tax_total",
    "line_items.customer_id",
    "line_items.is_billable",
    "line_items.item_total",
    "line_items.line_item_id",
    "line_items.rate",
    "line_items.tax_name",
    "line_items.tax_percentage",
    "line_items.unit"
  ],
  customerpayments: ["account_id", "created_time", "last_modified_time", "currency_id", "exchange_rate"],
  vendorpayments: ["currency_code"],
  expenses: ["created_time", "line_items", "paid_through_account_id", "vendor_id"],
  journals: ["created_time", "last_modified_time"],
  purchaseorders: ["line_items.customer_id", "line_items.is_billable", "line_items.line_item_id"]
}

const typeOf = (value: unknown) => (Array.isArray(value) ? "array" : typeof value)

/** Members of a value that the description does not have, or has of another type. */
const strange = (value: unknown, of: unknown, path = ""): ReadonlyArray<string> => {
  if (Array.isArray(of)) return Array.isArray(value) ? value.flatMap((one) => strange(one, of[0], path)) : [path]
  if (!Predicate.isRecord(of)) {
    const isNumber = of === "number" || of === "integer"
    // numbers are texts in places, and an empty text stands for no value
    const isRight = of === "None" || typeOf(value) === of || (isNumber && typeof value === "number") || value === ""
    return isRight || (of === "string" && typeof value === "number") ? [] : [`${path} is no ${String(of)}`]
  }
  if (!Predicate.isRecord(value)) return [`${path} is no object`]
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = path === "" ? name : `${path}.${name}`
    return name in of ? strange(inner, of[name], at) : [at]
  })
}

/** Members that recorded answers of real accounts have, by their paths in a record. */
const recorded = (module: string): ReadonlySet<string> =>
  new Set(
    Object.entries(shapes)
      .filter(([request]) => [`GET /books/v3/${module}`, `GET /books/v3/${module}/{id}`].includes(request))
      .flatMap(([, members]) => Object.keys(members))
      .map((path) => path.replaceAll("[]", "").split(".").slice(1).join("."))
  )

const allowed = (module: string, found: ReadonlyArray<string>) => {
  const known = recorded(module)
  const nameOf = (path: string) => path.replace(/ is no .*$/, "")
  return [...new Set(found)].filter((path) => beyond[module]?.includes(path) !== true && !known.has(nameOf(path)))
}

/** Documents, whose lines the simulator takes alike. */
const documents = ["invoices", "bills", "creditnotes", "purchaseorders"]

/** Members that a module's description has of the entries of a list in its bodies. */
const entriesOf = (module: string, list: string): ReadonlySet<string> =>
  new Set(
    (documents.includes(module) ? documents : [module]).flatMap((one) => {
      const held = described.get(`${one} body`)?.[list]
      const [entry]: ReadonlyArray<unknown> = Array.isArray(held) ? held : []
      return Predicate.isRecord(entry) ? Object.keys(entry) : []
    })
  )

const inside: { readonly [module: string]: readonly [list: string, parts: ReadonlyArray<string>] } = {
  contacts: ["contact_persons", person.parts ?? []],
  invoices: ["line_items", line.parts ?? []],
  bills: ["line_items", line.parts ?? []],
  creditnotes: ["line_items", line.parts ?? []],
  purchaseorders: ["line_items", line.parts ?? []],
  expenses: ["line_items", cost.parts ?? []],
  journals: ["line_items", side.parts ?? []],
  customerpayments: ["invoices", received.parts ?? []],
  vendorpayments: ["bills", paid.parts ?? []]
}

/** Ids of what a list holds, which updates carry. */
const ids = ["contact_person_id"]

describe("Zoho's OpenAPI description of Books", () => {
  it.effect.each(modules.map(({ kind, module }) => [kind.name, kind, module] as const))(
    "has what the simulator takes of %s",
    ([name, kind]) =>
      Effect.sync(() => {
        const body = described.get(`${name} body`) ?? {}
        const taken = kind.fields.filter(({ writes }) => writes !== undefined).map(({ code }) => code)
        const [list = "", parts = []] = inside[name] ?? []
        const known = entriesOf(name, list)
        const lines = parts.filter((part) => !known.has(part)).map((part) => `${list}.${part}`)
        const unknown = [
          ...taken.filter((code) => !(code in body)),
          ...lines.filter((path) => !ids.some((id) => path.endsWith(id)))
        ]
        assert.deepStrictEqual(allowed(name, unknown), [])
      })
  )

  full(it).effect("has what the simulator answers", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-21T09:00:00Z"))
      const http = yield* client(simulator)
      const { accessToken } = yield* connect(simulator, "meridian")
      const organization = simulator.values?.("meridian").organizationId ?? ""
      const get = (path: string) =>
        HttpClientRequest.get(`https://www.zohoapis.com/books/v3/${path}?organization_id=${organization}`).pipe(
          HttpClientRequest.setHeader("authorization", `Zoho-oauthtoken ${accessToken}`),
          http.execute,
          Effect.flatMap(({ json }) => json),
          Effect.map((body) => (Predicate.isRecord(body) ? body : {}))
        )
      for (const { kind, module } of modules) {
        const rows = (yield* get(kind.name))[module.list]
        const list: ReadonlyArray<unknown> = Array.isArray(rows) ? rows : []
        assert.isNotEmpty(list, kind.name)
        const listed = list.flatMap((row) => strange(row, described.get(`${kind.name} list`)))
        assert.deepStrictEqual(allowed(kind.name, listed), [], `${kind.name} list`)
        const [first] = list
        const id = Predicate.isRecord(first) ? String(first[kind.id ?? ""]) : ""
        const { code: _, message: __, ...answer } = yield* get(`${kind.name}/${id}`)
        const held = answer[module.one] ?? answer
        const one: unknown = Array.isArray(held) ? held[0] : held
        assert.deepStrictEqual(allowed(kind.name, strange(one, described.get(`${kind.name} one`))), [], kind.name)
      }
    }).pipe(Effect.provide(Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)))
  )
})
