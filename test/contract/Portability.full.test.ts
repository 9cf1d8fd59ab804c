import { assert, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { find, resourcesOf } from "../../src/canonical/Catalogue.ts"
import {
  categories,
  type Category,
  type Field,
  type Fields,
  type Resource,
  isShape
} from "../../src/canonical/Resource.ts"
import { has, type ProviderAdapter, type ResourceAdapter } from "../../src/providers/ProviderAdapter.ts"
import { Providers } from "../../src/providers/Providers.ts"
import {
  type Answer,
  type Call,
  type Doc,
  recordOf,
  errorsOf,
  pageOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"

/** Takes what is read from one provider to the others: every resource, every pair that both write it. */

/** Records of each kind that are taken over; `PORTABILITY=100` takes more of them. */
const perResource = Number(process.env["PORTABILITY"] ?? 3)

const isDoc = (value: unknown): value is Doc => typeof value === "object" && value !== null && !Array.isArray(value)

/** Orders records by what they say and not by their ids, which some simulators draw, so that each run takes the same ones. */
const byContent = (records: ReadonlyArray<Doc>) => {
  const contents = new Map(records.map((record) => [record, JSON.stringify(record).replace(/[0-9a-f-]{36}/g, "")]))
  return records.toSorted((a, b) => ((contents.get(a) ?? "") < (contents.get(b) ?? "") ? -1 : 1))
}

/** The records of an account by resource, each list read once. */
const shelf = (call: Call, provider: string) => {
  const known = new Map<string, ReadonlyArray<Doc>>()
  return (category: Category, name: string) =>
    Effect.gen(function* () {
      const path = `/${category}/${name}?provider=${provider}&limit=100`
      const held = known.get(path)
      if (held !== undefined) return held
      const records: Array<Doc> = []
      let next: string | null = path
      // suppliers may stand behind all customers
      for (let pages = 0; next !== null && pages < 5; pages += 1) {
        const answer: Answer = yield* call("GET", next)
        const page = answer.status === 200 ? pageOf(answer) : undefined
        records.push(...(page?.data ?? []))
        const cursor = page?.pagination.cursor ?? null
        next = cursor === null ? null : `${path}&cursor=${encodeURIComponent(cursor)}`
      }
      const sorted = byContent(records)
      known.set(path, sorted)
      return sorted
    })
}

type Shelf = ReturnType<typeof shelf>

interface Account {
  readonly call: Call
  readonly shelf: Shelf
}

/** Decides where one record may stand for another, what weighs most first. */
const traits = [
  "is_supplier",
  "is_customer",
  "category_type",
  "account_type",
  "type",
  "classification",
  "currency",
  "status"
]

/** How alike two records are that may stand for each other. */
const likeness = (a: Doc, b: Doc) =>
  traits.reduce((sum, name, i) => sum + (a[name] === b[name] ? 2 ** (traits.length - i) : 0), 0)

/** Conditions of a record that a document names: a supplier, a bank account of its currency. */
const roleOf = (resource: string, name: string, { currency, type }: Doc): Doc =>
  name === "account"
    ? { account_type: "BANK", currency, status: "ACTIVE" }
    : name === "vendor" || type === "ACCOUNTS_PAYABLE"
      ? { is_supplier: true, is_customer: false }
      : name === "customer" || type === "ACCOUNTS_RECEIVABLE" || resource === "credit_note"
        ? { is_supplier: false, is_customer: true }
        : {}

/** The record of the other account that stands for a reference. */
const standIn = Effect.fnUntraced(function* (
  resource: Resource,
  field: Field,
  value: unknown,
  role: Doc,
  from: Shelf,
  to: Shelf
) {
  for (const target of field.targets ?? []) {
    if (find(resource.category, target) === undefined) continue
    const originals = yield* from(resource.category, target)
    const key = field.kind === "reference" ? "id" : "remote_id"
    const idOf = (record: Doc) => String(record[key]).replace("urn:uuid:", "")
    const original = originals.find((record) => idOf(record) === value)
    if (original === undefined && (field.targets ?? []).length > 1) continue
    const wanted = { ...original, ...role }
    let best: { readonly record: Doc; readonly alike: number } | undefined
    for (const record of yield* to(resource.category, target)) {
      const alike = likeness(wanted, record)
      if (best === undefined || alike > best.alike) best = { record, alike }
    }
    if (best !== undefined) return idOf(best.record)
  }
  return undefined
})

/** Fields without which a record has no essence: some say it in words that the catalogue lacks, such as a day of the month. */
const essence: { readonly [resource: string]: string } = { tax_rate: "total_tax_rate", payment_term: "days_until_due" }

/** Texts by which a provider tells records apart: the sample companies share them. */
const unique = ["name", "last_name", "number", "purchase_order_number", "code", "account_number", "display_name"]

/** A text that no other record has. */
const another = (name: string, value: unknown, mark: string) =>
  typeof value !== "string"
    ? value
    : name === "email_address"
      ? value.replace("@", `+${mark}@`)
      : name === "website"
        ? value.replace(/^(https?:\/\/)?/, `$1${mark}.`)
        : unique.includes(name)
          ? `${value} ${mark}`
          : value

/** Fields that hold an id of the account for which there is no resource. */
const ofAccount = ["service"]

/** Documents that a record settles or was made of: the other account has none that fit. */
const links = ["applied_to_lines", "purchase_orders", "sales_orders"]

/**
 * A payment with an open document of the other account that it can settle: one is made for it, of a contact and with a line
 * like those there.
 */
const withDocument = Effect.fnUntraced(function* (payment: Doc, body: Doc, to: Account, provider: string) {
  const { applied_to_lines: lines } = payment
  const applied = Array.isArray(lines) ? lines.filter(isDoc) : []
  const [like] = (yield* to.shelf("accounting", "invoice")).filter(
    ({ currency, type }) => type === payment.type && currency === payment.currency
  )
  if (like === undefined || applied.length === 0) return body
  const { contact, currency, line_items } = like
  const [line] = Array.isArray(line_items) ? line_items.filter(isDoc) : []
  const documents = yield* Effect.forEach(applied, ({ applied_amount }) =>
    patiently(
      to.call("POST", `/accounting/invoice?provider=${provider}`, {
        body: {
          type: payment.type,
          contact,
          currency,
          issue_date: payment.transaction_date,
          status: "OPEN",
          line_items: [
            {
              description: line?.description,
              account: line?.account,
              item: line?.item,
              quantity: 1,
              unit_price: applied_amount,
              total_amount: applied_amount
            }
          ]
        }
      })
    )
  )
  return {
    ...body,
    contact,
    applied_to_lines: documents.flatMap((made, i) =>
      made.status === 201
        ? [
            {
              related_object_type: "INVOICE",
              related_object_id: String(recordOf(made).id),
              applied_amount: applied[i]?.applied_amount
            }
          ]
        : []
    )
  }
})

/** A body for another account; what settles other documents stays behind, as do stages, which the other has others of. */
const takeOver = (
  resource: Resource,
  fields: Fields,
  record: Doc,
  from: Shelf,
  to: Shelf,
  mark: string
): Effect.Effect<{ [name: string]: unknown }> =>
  Effect.gen(function* () {
    const body: { [name: string]: unknown } = {}
    const taken = (name: string, field: Field, value: unknown): Effect.Effect<unknown> =>
      Effect.gen(function* () {
        if (value === null || field.access !== "rw") return value
        if (field.kind === "reference" || (field.kind === "providerId" && field.targets !== undefined)) {
          const role = fields === resource.fields ? roleOf(resource.name, name, record) : {}
          return (yield* standIn(resource, field, value, role, from, to)) ?? null
        }
        const { item } = field
        if (isShape(item) && isDoc(value)) return yield* takeOver(resource, item.fields, value, from, to, mark)
        if (item === undefined || !Array.isArray(value)) return value
        const entries = yield* Effect.forEach(value, (entry: unknown) =>
          isShape(item) && isDoc(entry)
            ? takeOver(resource, item.fields, entry, from, to, mark)
            : taken(name, item as Field, entry)
        )
        return entries.filter((entry) => entry !== null)
      })
    for (const [name, value] of Object.entries(record)) {
      const field = fields[name]
      if (field === undefined || links.includes(name)) continue
      if (ofAccount.includes(name) && value !== null) {
        const others = yield* to(resource.category, resource.name)
        body[name] = others.find((other) => typeof other[name] === "string")?.[name] ?? null
        continue
      }
      const isOwn = fields === resource.fields || name === "email_address"
      const value_ = yield* taken(name, field, value)
      body[name] = isOwn ? another(name, value_, mark) : value_
    }
    return body
  })

/** Statuses of what is not in force any more. */
const ends: ReadonlyArray<unknown> = ["VOID", "DELETED", "CANCELLED"]

/** Sends once more when the limit is over. */
const patiently = (send: Effect.Effect<Answer>) =>
  Effect.flatMap(send, (first) =>
    first.status === 429 ? Effect.zipRight(TestClock.adjust("1 minute"), send) : Effect.succeed(first)
  )

interface Tally {
  tried: number
  accepted: number
  readonly reasons: Map<string, number>
}

/** Whether a record is on one of a kind that the other provider lacks: where it is on no other, nothing can take its place. */
const isOrphan = (record: Doc, { fields, has }: Target) =>
  Object.entries(fields).some(
    ([name, { targets }]) =>
      targets !== undefined &&
      (record[name] ?? null) !== null &&
      !targets.some((one) => has(one.split(".", 1)[0] ?? ""))
  )

/** The resource of a body, and which resources its provider lists. */
interface Target {
  readonly fields: Fields
  readonly has: (resource: string) => boolean
}

/**
 * Counts what came of a body; what the account has no currency for, what was meant void and what hangs on nothing there is
 * refused for good reason.
 */
const count = (tally: Tally, body: Doc, record: Doc, target: Target, answer: Answer) => {
  const errors =
    answer.status === 201 ? {} : answer.status === 422 ? errorsOf(answer) : { "": JSON.stringify(answer.body) }
  const isRight = (path: string) =>
    path === "currency" ||
    (path === "status" && ends.includes(body.status)) ||
    (target.fields[path]?.targets !== undefined && (body[path] ?? null) === null && isOrphan(record, target))
  if (Object.keys(errors).some(isRight)) return
  for (const [path, message] of Object.entries(errors)) {
    const reason = `${path.replace(/\.\d+/g, "[]")}: ${message}`.slice(0, 160)
    tally.reasons.set(reason, (tally.reasons.get(reason) ?? 0) + 1)
  }
  tally.tried += 1
  if (answer.status === 201) tally.accepted += 1
}

layer(sandboxApplication(), { timeout: "5 minutes" })("portability", (it) => {
  for (const category of categories) {
    it.effect(
      `${category}: what is read from one provider is accepted by the others`,
      () =>
        Effect.gen(function* () {
          const providers = yield* Providers
          const app = yield* SandboxApplication
          const adapters = providers.all(category)
          const callers = new Map(
            yield* Effect.forEach(adapters, ({ slug }) =>
              Effect.map(app.caller([slug]), ({ call }) => [slug, { call, shelf: shelf(call, slug) }] as const)
            )
          )
          const known = new Map<string, ReadonlyArray<Doc>>()
          /** The records of a kind that a provider gives away, whole, which are read once. */
          const given = Effect.fnUntraced(function* (
            a: ProviderAdapter,
            resource: Resource,
            resourceAdapter: ResourceAdapter
          ) {
            const name = `${a.slug} ${resource.name}`
            const from = callers.get(a.slug)
            const held = from === undefined ? [] : known.get(name)
            if (held !== undefined || from === undefined) return held ?? []
            const records = (yield* from.shelf(category, resource.name))
              .filter((one) => one[essence[resource.name] ?? "id"] !== null)
              .slice(0, perResource)
            const whole = yield* Effect.forEach(records, (listed) => {
              const one = `/${category}/${resource.name}/${encodeURIComponent(String(listed.id))}?provider=${a.slug}`
              return (resourceAdapter.nullInLists ?? []).length === 0
                ? Effect.succeed(listed)
                : Effect.map(patiently(from.call("GET", one)), recordOf)
            })
            known.set(name, whole)
            return whole
          })
          const lines: Array<string> = []
          let all = 0
          let accepted = 0
          for (const resource of resourcesOf(category)) {
            const able = adapters.filter(({ resources }) => {
              const resourceAdapter = resources[resource.name]
              return resourceAdapter?.create !== undefined && has(resourceAdapter, "list")
            })
            for (const a of able) {
              for (const b of able) {
                const from = callers.get(a.slug)
                const to = callers.get(b.slug)
                if (a === b || from === undefined || to === undefined) continue
                const resourceAdapter = a.resources[resource.name]
                if (resourceAdapter === undefined) continue
                const lists = (name: string) => b.resources[name]?.list !== undefined
                const tally: Tally = { tried: 0, accepted: 0, reasons: new Map() }
                for (const [i, record] of (yield* given(a, resource, resourceAdapter)).entries()) {
                  const mark = `${adapters.indexOf(a)}${i}`
                  const taken = yield* takeOver(resource, resource.fields, record, from.shelf, to.shelf, mark)
                  const body = resource.name === "payment" ? yield* withDocument(record, taken, to, b.slug) : taken
                  const answer = yield* patiently(
                    to.call("POST", `/${category}/${resource.name}?provider=${b.slug}`, { body })
                  )
                  count(tally, body, record, { fields: resource.fields, has: lists }, answer)
                }
                all += tally.tried
                accepted += tally.accepted
                lines.push(`${resource.name} ${a.slug} -> ${b.slug}: ${tally.accepted}/${tally.tried}`)
                for (const [reason, count] of tally.reasons) lines.push(`    ${count} ${reason}`)
              }
            }
          }
          process.stdout.write(`${[...lines, `${category}: ${accepted}/${all}`].join("\n")}\n`)
          assert.isAtLeast(accepted / all, 0.95)
        }),
      600_000
    )
  }
})
