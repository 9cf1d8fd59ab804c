import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer, Record, TestClock } from "effect"
import { Account } from "../../../src/canonical/accounting/Account.ts"
import { Contact } from "../../../src/canonical/accounting/Contact.ts"
import { CreditNote } from "../../../src/canonical/accounting/CreditNote.ts"
import { Expense } from "../../../src/canonical/accounting/Expense.ts"
import { Invoice } from "../../../src/canonical/accounting/Invoice.ts"
import { Item } from "../../../src/canonical/accounting/Item.ts"
import { JournalEntry } from "../../../src/canonical/accounting/JournalEntry.ts"
import { Payment } from "../../../src/canonical/accounting/Payment.ts"
import { PurchaseOrder } from "../../../src/canonical/accounting/PurchaseOrder.ts"
import { VendorCredit } from "../../../src/canonical/accounting/VendorCredit.ts"
import { compile, type CompiledMapping, type CompiledVariant } from "../../../src/mapping/Compile.ts"
import type { Body, EncodeInput, Mode } from "../../../src/mapping/Encode.ts"
import { isNative, type Native } from "../../../src/mapping/Mapping.ts"
import type { Identity, RecordContext } from "../../../src/mapping/Transform.ts"
import type { ConnectionRef } from "../../../src/providers/ConnectionRef.ts"
import type { NativeRecord } from "../../../src/providers/ProviderAdapter.ts"
import { Providers } from "../../../src/providers/Providers.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { country } from "../../../src/mapping/Country.ts"
import { quoted } from "../../../src/providers/quickbooks/Conditions.ts"
import { newObject, overlay, withoutInternals } from "../../../src/providers/quickbooks/Overlay.ts"
import { QuickBooks } from "../../../src/providers/quickbooks/QuickBooks.ts"
import { simulator } from "../../../src/providers/quickbooks/simulator/QuickBooksSimulator.ts"
import { readError } from "../../../src/providers/quickbooks/ReadError.ts"
import { harness } from "../../support/Harness.ts"

const resources = {
  contact: Contact,
  account: Account,
  item: Item,
  invoice: Invoice,
  payment: Payment,
  journal_entry: JournalEntry,
  expense: Expense,
  purchase_order: PurchaseOrder,
  credit_note: CreditNote,
  vendor_credit: VendorCredit
} as const
type Name = keyof typeof resources

/** UUIDs by what they stand for, and back. */
const makeIdentities = () => {
  const byUuid = new Map<string, Identity>()
  const byName = new Map<string, string>()
  const context: RecordContext = {
    reference: (resource, nativeType, remoteId) => {
      const name = `${resource}/${nativeType}/${remoteId}`
      const known = byName.get(name)
      if (known !== undefined) return known
      const uuid = `00000000-0000-4000-8000-${String(byName.size).padStart(12, "0")}`
      byName.set(name, uuid)
      byUuid.set(uuid, { resource, nativeType, remoteId })
      return uuid
    },
    line: (path, lineId) => `${path}/${lineId}`
  }
  return { context, resolve: (uuid: string) => byUuid.get(uuid) }
}

const one = <A>(value: A | undefined, what: string): A => {
  if (value === undefined) throw new Error(`no ${what}`)
  return value
}

/** The service's use of the adapter, for one connection. */
const service = Effect.fnUntraced(function* (account: string) {
  yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00Z"))
  const adapter = one((yield* Providers).get("quickbooks"), "adapter")
  const connection: ConnectionRef = { id: account, provider: "quickbooks", environment: "sandbox", organisation: "org" }
  const { context, resolve } = makeIdentities()
  const mappings = new Map<Name, CompiledMapping>()
  const of = (name: Name) => {
    const resourceAdapter = one(adapter.resources[name], name)
    const mapping = mappings.get(name) ?? compile("quickbooks", resources[name], resourceAdapter.mapping)
    mappings.set(name, mapping)
    return { resourceAdapter, mapping }
  }
  const looked = new Map<string, unknown>()
  const lookups = (names: ReadonlyArray<string>) =>
    Effect.map(
      Effect.forEach(names, (name) =>
        Effect.gen(function* () {
          if (!looked.has(name)) looked.set(name, yield* one(adapter.lookups[name], name).load(connection))
          return [name, looked.get(name)] as const
        })
      ),
      (entries): { readonly [name: string]: unknown } => Object.fromEntries(entries)
    )
  const variantOf = (name: Name, nativeType: string) => one(of(name).mapping.variant(nativeType), nativeType)
  const decode = (name: Name, found: NativeRecord) =>
    Effect.gen(function* () {
      const variant = variantOf(name, found.nativeType)
      return variant.decode({ ...found, lookups: yield* lookups(variant.lookups) }, context)
    })
  const native = (name: Name, nativeType: string, id: string) =>
    one(of(name).resourceAdapter.get, "get")({ connection, variant: variantOf(name, nativeType), id })
  const get = (name: Name, nativeType: string, id: string) =>
    Effect.flatMap(native(name, nativeType, id), (found) => decode(name, found))
  const encode = Effect.fnUntraced(function* (
    name: Name,
    variant: CompiledVariant,
    body: Body,
    mode: Mode,
    current?: NativeRecord
  ) {
    const needs = variant.needs(body, mode)
    return yield* variant.encode(body, mode, {
      resolve: (uuid) => resolve(uuid),
      lookups: yield* lookups(needs.lookups),
      current,
      handling: "strict" as const,
      today: "2026-03-02",
      currentRecord: current === undefined ? undefined : yield* decode(name, current)
    })
  })
  const create = Effect.fnUntraced(function* (name: Name, body: Body, idempotencyKey?: string) {
    const { mapping, resourceAdapter } = of(name)
    const variant = one(mapping.choose(body), "variant")
    const encoded = yield* encode(name, variant, body, "create")
    const written = yield* one(resourceAdapter.create, "create")({ connection, variant, encoded, idempotencyKey })
    return yield* decode(name, one(written.record, "record"))
  })
  const update = Effect.fnUntraced(function* (
    name: Name,
    nativeType: string,
    mode: "patch" | "replace",
    id: string,
    body: Body,
    held?: NativeRecord
  ) {
    const variant = variantOf(name, nativeType)
    const current = held ?? (yield* native(name, nativeType, id))
    const encoded = yield* encode(name, variant, body, mode, current)
    const resourceAdapter = of(name).resourceAdapter
    const written = yield* one(resourceAdapter[mode], mode)({ connection, variant, id, encoded, current, mode })
    return written.record === undefined ? yield* get(name, nativeType, id) : yield* decode(name, written.record)
  })
  const remove = Effect.fnUntraced(function* (name: Name, nativeType: string, id: string) {
    const current = yield* native(name, nativeType, id)
    yield* one(
      of(name).resourceAdapter.remove,
      "remove"
    )({ connection, variant: variantOf(name, nativeType), id, current })
  })
  const list = (name: Name, limit: number, filter: { readonly [name: string]: string } = {}) =>
    Effect.gen(function* () {
      const { mapping, resourceAdapter } = of(name)
      const records: Array<NativeRecord> = []
      let position: string | null = null
      let pages = 0
      do {
        const page: { readonly records: ReadonlyArray<NativeRecord>; readonly next: string | null } = yield* one(
          resourceAdapter.list,
          "list"
        )({
          connection,
          mapping,
          position,
          limit,
          wanted: Record.map(filter, (text) => ({ text, values: [text] }))
        })
        assert.isAtMost(page.records.length, limit)
        records.push(...page.records)
        position = page.next
        pages += 1
      } while (position !== null && pages < 5000)
      return records
    })
  return { connection, context, create, decode, encode, get, list, native, of, remove, update, variantOf }
})

const idsOf = (records: ReadonlyArray<NativeRecord>) =>
  records.map(({ nativeType, record }) => `${nativeType}/${String(record.Id)}`)

const live = QuickBooks.pipe(Layer.provideMerge(harness([{ simulator, values: { realmId: "9130347" } }])))

/** Lines of a decoded record. */
const linesOf = (record: { readonly [field: string]: unknown }): ReadonlyArray<Native> =>
  Array.isArray(record.line_items) ? record.line_items.filter(isNative) : []

const text = (value: unknown): string => {
  assert.isString(value)
  return String(value)
}

layer(live)("QuickBooks Online", (it) => {
  it.effect("lists each record once at every page size, over both native types", () =>
    Effect.gen(function* () {
      const { list } = yield* service("walk")
      for (const name of ["contact", "invoice", "account", "item"] as const) {
        const whole = idsOf(yield* list(name, 100))
        assert.strictEqual(new Set(whole).size, whole.length)
        assert.isAbove(whole.length, 10)
        assert.deepStrictEqual(idsOf(yield* list(name, 7)), whole)
        if (name === "account") assert.deepStrictEqual(idsOf(yield* list(name, 1)), whole)
      }
      const contacts = yield* list("contact", 100)
      assert.deepStrictEqual([...new Set(contacts.map(({ nativeType }) => nativeType))], ["Customer", "Vendor"])
      assert.isTrue(contacts.some(({ record }) => record.Active === false))
      assert.isFalse(contacts.some(({ record }) => record.IsProject === true))
    })
  )

  it.effect("filters by creation time, from inclusive, before exclusive", () =>
    Effect.gen(function* () {
      const { list } = yield* service("created")
      const all = yield* list("invoice", 100)
      const timeOf = ({ record }: NativeRecord) =>
        Date.parse(String(isNative(record.MetaData) ? record.MetaData.CreateTime : ""))
      const sorted = all.map(timeOf).toSorted((a, b) => a - b)
      const from = one(sorted[Math.floor(sorted.length / 3)], "time")
      const before = one(sorted[Math.floor((sorted.length * 2) / 3)], "time")
      const found = yield* list("invoice", 7, {
        created_after: new Date(from).toISOString(),
        created_before: new Date(before).toISOString()
      })
      assert.deepStrictEqual(
        idsOf(found).toSorted(),
        idsOf(all.filter((record) => timeOf(record) >= from && timeOf(record) < before)).toSorted()
      )
      assert.isAbove(found.length, 0)
    })
  )

  it.effect("keeps every seeded record that is written back as it was read", () =>
    Effect.gen(function* () {
      const { decode, encode, list, variantOf } = yield* service("identity")
      const names: ReadonlyArray<Name> = [
        "contact",
        "invoice",
        "account",
        "item",
        "payment",
        "journal_entry",
        "expense",
        "purchase_order",
        "credit_note",
        "vendor_credit"
      ]
      for (const name of names) {
        for (const current of yield* list(name, 100)) {
          const before = structuredClone(current.record)
          const body = yield* decode(name, current)
          const encoded = yield* encode(name, variantOf(name, current.nativeType), body, "replace", current)
          assert.deepStrictEqual(encoded.steps, {})
          const { TxnTaxDetail: _, ...whole } = overlay(current.record, encoded.record)
          const { TxnTaxDetail: __, ...held } = current.record
          assert.deepStrictEqual(whole, withoutInternals(held))
          // encoding is pure
          assert.deepStrictEqual(current.record, before)
        }
      }
    })
  )

  it.effect("derives status and settlements of documents from what settles them", () =>
    Effect.gen(function* () {
      const { decode, list } = yield* service("settled")
      const records = yield* Effect.forEach(yield* list("invoice", 100), (found) => decode("invoice", found))
      const statuses = new Set(records.map(({ status }) => status))
      for (const status of ["PAID", "PARTIALLY_PAID", "OPEN"]) assert.isTrue(statuses.has(status), status)
      const sum = (value: unknown) =>
        Array.isArray(value)
          ? value.reduce((total: number, part) => total + Number(isNative(part) ? part.applied_amount : NaN), 0)
          : NaN
      let settled = 0
      for (const record of records.filter(({ status }) => status !== "VOID")) {
        const applied =
          sum(record.applied_payments) + sum(record.applied_credit_notes) + sum(record.applied_vendor_credits)
        assert.closeTo(applied, Number(record.total_amount) - Number(record.balance), 0.001, text(record.remote_id))
        if (applied > 0) settled += 1
        assert.strictEqual(record.paid_on_date !== null, record.status === "PAID" && applied > 0)
        assert.closeTo(
          Number(record.sub_total) + Number(record.total_tax_amount) - Number(record.total_discount),
          Number(record.total_amount),
          0.000001
        )
      }
      assert.isAbove(settled, 5)
      assert.isTrue(records.some(({ applied_credit_notes: notes }) => Array.isArray(notes) && notes.length > 0))
    })
  )

  /** A customer, a vendor, a service item and its account, a cost account and a class of the account. */
  const cast = Effect.fnUntraced(function* (account: string) {
    const own = yield* service(account)
    const all = {
      contacts: yield* own.list("contact", 100),
      items: yield* own.list("item", 100),
      accounts: yield* own.list("account", 100)
    }
    const find = (found: ReadonlyArray<NativeRecord>, what: string, is: (record: NativeRecord) => boolean) =>
      one(found.find(is), what)
    const isHome = ({ record }: NativeRecord) =>
      record.Active !== false && (!isNative(record.CurrencyRef) || record.CurrencyRef.value === "USD")
    const customer = find(all.contacts, "customer", (one) => one.nativeType === "Customer" && isHome(one))
    const vendor = find(all.contacts, "vendor", (one) => one.nativeType === "Vendor" && isHome(one))
    const item = find(
      all.items,
      "item",
      ({ record }) => record.Type === "Service" && record.Active !== false && isNative(record.IncomeAccountRef)
    )
    const cost = find(
      all.accounts,
      "cost account",
      ({ record }) => record.AccountType === "Expense" && record.Active !== false
    )
    const bank = find(all.accounts, "bank account", ({ record }) => record.AccountType === "Bank")
    const income = isNative(item.record.IncomeAccountRef) ? String(item.record.IncomeAccountRef.value) : ""
    const ref = own.context.reference
    return {
      ...own,
      customer: ref("contact", "Customer", String(customer.record.Id)),
      vendor: ref("contact", "Vendor", String(vendor.record.Id)),
      item: ref("item", "Item", String(item.record.Id)),
      income: ref("account", "Account", income),
      cost: ref("account", "Account", String(cost.record.Id)),
      bank: ref("account", "Account", String(bank.record.Id))
    }
  })

  it.effect("writes an invoice with lines, and patches it without touching the rest", () =>
    Effect.gen(function* () {
      const { create, customer, income, item, native, update } = yield* cast("invoice")
      const made = yield* create("invoice", {
        type: "ACCOUNTS_RECEIVABLE",
        contact: customer,
        number: "T-1001",
        issue_date: "2026-11-02",
        memo: "O'Brien \\ 😀",
        total_discount: 5.5,
        line_items: [
          { item, description: "first", quantity: 3, unit_price: 33.33 },
          { account: income, description: "through an item", total_amount: 10.01 }
        ]
      })
      assert.deepInclude(made, {
        type: "ACCOUNTS_RECEIVABLE",
        contact: customer,
        number: "T-1001",
        issue_date: "2026-11-02",
        memo: "O'Brien \\ 😀",
        currency: "USD",
        exchange_rate: "1.0",
        status: "OPEN",
        total_discount: 5.5,
        total_amount: 104.5,
        sub_total: 110,
        balance: 104.5,
        paid_on_date: null
      })
      const [first, second] = linesOf(made)
      assert.deepInclude(first, { description: "first", quantity: 3, unit_price: 33.33, total_amount: 99.99, item })
      assert.deepInclude(second, { description: "through an item", total_amount: 10.01 })
      const id = text(made.remote_id)

      const patched = yield* update("invoice", "Invoice", "patch", id, {
        line_items: [
          { remote_id: first?.remote_id, quantity: 4 },
          { remote_id: second?.remote_id },
          { item, total_amount: 1 }
        ]
      })
      assert.deepStrictEqual(
        linesOf(patched).map((line) => [line.remote_id, line.description, line.quantity, line.total_amount]),
        [
          [first?.remote_id, "first", 4, 133.32],
          [second?.remote_id, "through an item", 1, 10.01],
          [linesOf(patched)[2]?.remote_id, null, 1, 1]
        ]
      )
      assert.deepInclude(patched, {
        memo: "O'Brien \\ 😀",
        number: "T-1001",
        total_discount: 5.5,
        total_amount: 138.83
      })

      const cleared = yield* update("invoice", "Invoice", "replace", id, {
        type: "ACCOUNTS_RECEIVABLE",
        contact: customer,
        line_items: [{ item, quantity: 2, unit_price: 10 }]
      })
      assert.deepInclude(cleared, { memo: null, total_discount: 0, total_amount: 20 })
      assert.lengthOf(linesOf(cleared), 1)

      const voided = yield* update("invoice", "Invoice", "patch", id, { status: "VOID" })
      assert.deepInclude(voided, { status: "VOID", total_amount: 0, balance: 0 })
      const again = (yield* native("invoice", "Invoice", id)).record.SyncToken
      yield* update("invoice", "Invoice", "patch", id, { status: "VOID" })
      assert.strictEqual((yield* native("invoice", "Invoice", id)).record.SyncToken, again)
    })
  )

  it.effect("refuses an account no item posts to, and an account that is not the item's", () =>
    Effect.gen(function* () {
      const { bank, create, customer, item } = yield* cast("accounts")
      const invoice = { type: "ACCOUNTS_RECEIVABLE", contact: customer }
      const through = yield* Effect.flip(
        create("invoice", {
          ...invoice,
          line_items: [
            { item, total_amount: 1 },
            { account: bank, total_amount: 1 }
          ]
        })
      )
      assert.deepStrictEqual(Object.keys(through), ["line_items.1.account"])
      const beside = yield* Effect.flip(
        create("invoice", { ...invoice, line_items: [{ item, account: bank, total_amount: 1 }] })
      )
      assert.deepStrictEqual(Object.keys(beside), ["line_items.0.account"])
    })
  )

  it.effect("writes a bill of items and costs; a bill cannot be void", () =>
    Effect.gen(function* () {
      const { context, cost, create, customer, item, remove, get, update, vendor } = yield* cast("bill")
      const made = yield* create("invoice", {
        type: "ACCOUNTS_PAYABLE",
        contact: vendor,
        line_items: [
          { account: cost, unit_price: 12.5, contact: customer, is_billable: true },
          { item, quantity: 2, unit_price: 7.25 }
        ]
      })
      assert.deepInclude(made, { type: "ACCOUNTS_PAYABLE", contact: vendor, total_amount: 27, total_discount: 0 })
      const [first, second] = linesOf(made)
      assert.deepInclude(first, {
        account: cost,
        item: null,
        quantity: 1,
        unit_price: 12.5,
        total_amount: 12.5,
        contact: customer,
        is_billable: true
      })
      assert.deepInclude(second, { account: null, item, quantity: 2, total_amount: 14.5, is_billable: false })
      assert.strictEqual(made.company, context.reference("company_info", "CompanyInfo", "1"))
      const id = text(made.remote_id)
      const refused = yield* Effect.flip(update("invoice", "Bill", "patch", id, { status: "VOID" }))
      assert.deepStrictEqual(Object.keys(refused), ["status"])
      assert.deepInclude(yield* get("invoice", "Bill", id), { status: "OPEN", total_amount: 27 })
      yield* remove("invoice", "Bill", id)
      const gone = yield* Effect.flip(get("invoice", "Bill", id))
      assert.strictEqual("reason" in gone ? gone.reason._tag : "", "Missing")
    })
  )

  it.effect("writes contacts, clears what a replace leaves out, and makes inactive what is removed", () =>
    Effect.gen(function* () {
      const { create, get, native, remove, update } = yield* service("contacts")
      const body = {
        name: "Müller & Söhne",
        is_customer: true,
        email_address: "hallo@example.com",
        addresses: [
          { type: "BILLING", street_1: "1 High St", street_2: "Floor 2\nDoor 3", city: "Leeds", country: "GB" },
          { type: "SHIPPING", street_1: "2 Low St", zip_code: "LS1" }
        ],
        phone_numbers: [
          { type: "MAIN", number: "+44 1" },
          { type: "FAX", number: "+44 2" }
        ]
      }
      const made = yield* create("contact", body)
      assert.deepInclude(made, { name: body.name, is_customer: true, is_supplier: false, status: "ACTIVE" })
      assert.deepStrictEqual(made.phone_numbers, [
        { number: "+44 1", type: "MAIN" },
        { number: "+44 2", type: "FAX" }
      ])
      const id = text(made.remote_id)
      const moved = yield* update("contact", "Customer", "patch", id, { email_address: "neu@example.com" })
      assert.deepStrictEqual(moved.addresses, made.addresses)
      assert.strictEqual(moved.email_address, "neu@example.com")
      const fixed = yield* Effect.flip(update("contact", "Customer", "patch", id, { currency: "GBP" }))
      assert.deepStrictEqual(Object.keys(fixed), ["currency"])
      const cleared = yield* update("contact", "Customer", "replace", id, { name: "Müller", is_customer: true })
      assert.deepInclude(cleared, { name: "Müller", email_address: null })
      assert.deepStrictEqual([cleared.addresses, cleared.phone_numbers], [[], []])
      yield* remove("contact", "Customer", id)
      assert.strictEqual((yield* get("contact", "Customer", id)).status, "ARCHIVED")
      assert.strictEqual((yield* native("contact", "Customer", id)).record.Active, false)
    })
  )

  it.effect("a create sent again under one key makes one record, other resources have their own keys", () =>
    Effect.gen(function* () {
      const { create } = yield* service("keys")
      const customer = { name: "Once Ltd", is_customer: true }
      const first = yield* create("contact", customer, "key-1")
      const second = yield* create("contact", customer, "key-1")
      assert.strictEqual(second.remote_id, first.remote_id)
      const vendor = yield* create("contact", { name: "Twice Ltd", is_supplier: true }, "key-1")
      assert.deepInclude(vendor, { name: "Twice Ltd", is_supplier: true })
    })
  )

  it.effect("says what went wrong: stale, duplicate, missing, rejected, unauthorized, throttled", () =>
    Effect.gen(function* () {
      const { context, create, get, native, update } = yield* service("wrong")
      const faults = yield* Faults
      const failure = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.map(Effect.flip(effect), (error) => {
          const reason = typeof error === "object" && error !== null && "reason" in error ? error.reason : undefined
          return typeof reason === "object" && reason !== null && "_tag" in reason ? reason : { _tag: "none" }
        })
      const made = yield* create("contact", { name: "Stale Ltd", is_customer: true })
      const id = text(made.remote_id)
      const old = yield* native("contact", "Customer", id)
      yield* update("contact", "Customer", "patch", id, { email_address: "a@example.com" })
      const patch = { email_address: "b@example.com" }
      assert.strictEqual((yield* failure(update("contact", "Customer", "patch", id, patch, old)))._tag, "Stale")
      const twin = { name: "Stale Ltd", is_supplier: true }
      assert.strictEqual((yield* failure(create("contact", twin)))._tag, "Clash")
      assert.strictEqual((yield* failure(get("contact", "Customer", "99999")))._tag, "Missing")
      assert.strictEqual((yield* failure(get("contact", "Customer", "not/a number")))._tag, "Missing")
      const gone = { type: "ACCOUNTS_RECEIVABLE", contact: context.reference("contact", "Customer", "99999") }
      const item = context.reference("item", "Item", "99999")
      const dangling = yield* failure(create("invoice", { ...gone, line_items: [{ item, total_amount: 1 }] }))
      assert.strictEqual(dangling._tag, "Invalid")
      const long = { name: "x".repeat(600), is_customer: true }
      const rejected = yield* failure(create("contact", long))
      assert.strictEqual(rejected._tag, "Invalid")
      yield* faults.add({ provider: "quickbooks", does: { kind: "limit", retryAfter: 60 } })
      const limited = yield* failure(get("contact", "Customer", id))
      assert.strictEqual("retryAfter" in limited ? limited.retryAfter : limited._tag, 60)
      yield* TestClock.adjust("61 seconds")
      yield* faults.add({ provider: "quickbooks", does: { kind: "expire" } })
      assert.strictEqual((yield* get("contact", "Customer", id)).name, "Stale Ltd")
    })
  )

  it.effect("picks the account type, keeps it where nothing says otherwise, and hangs accounts under others", () =>
    Effect.gen(function* () {
      const { bank, create, update } = yield* cast("chart")
      const made = yield* create("account", { name: "Till", type: "ASSET", account_type: "BANK", parent_account: bank })
      assert.deepInclude(made, { type: "ASSET", account_type: "BANK", classification: "ASSET", parent_account: bank })
      const id = text(made.remote_id)
      const kept = yield* update("account", "Account", "replace", id, { name: "Till 2", type: "ASSET" })
      assert.deepInclude(kept, { name: "Till 2", account_type: "BANK", parent_account: null, status: "ACTIVE" })
      const mixed = yield* Effect.flip(
        create("account", { name: "Odd", type: "LIABILITY", account_type: "BANK", classification: "EQUITY" })
      )
      assert.deepStrictEqual(Object.keys(mixed).toSorted(), ["classification", "type"])
    })
  )
})

// ---------------------------------------------------------------------------------------------------------------------

describe("what QuickBooks is told", () => {
  it("quotes what would end a value", () => {
    assert.strictEqual(quoted(`O'Brien \\ "Co"`), `'O\\'Brien \\\\ "Co"'`)
  })

  it("clears by leaving out, replaces references whole, and keeps empty details", () => {
    const current = {
      Id: "1",
      SyncToken: "3",
      BillAddr: { Id: "9", Lat: "1", Line1: "a", City: "b" },
      CustomerRef: { value: "1", name: "Amy" },
      SalesTermRef: { value: "2", name: "Net 30" },
      Line: [{ Id: "1", Amount: 1 }],
      TxnTaxDetail: { TxnTaxCodeRef: { value: "7" }, TotalTax: 3, TaxLine: [] }
    }
    const encoded = {
      BillAddr: { Line1: null, City: null },
      CustomerRef: { value: "2" },
      SalesTermRef: { value: null },
      Line: [
        { Id: "1", Amount: 2, SalesItemLineDetail: { ClassRef: { value: null, name: "x" }, Qty: 1 } },
        { DetailType: "SubTotalLineDetail", SubTotalLineDetail: {} }
      ]
    }
    assert.deepStrictEqual(overlay(current, encoded), {
      Id: "1",
      SyncToken: "3",
      CustomerRef: { value: "2" },
      Line: [
        { Id: "1", Amount: 2, SalesItemLineDetail: { Qty: 1 } },
        { DetailType: "SubTotalLineDetail", SubTotalLineDetail: {} }
      ],
      TxnTaxDetail: { TxnTaxCodeRef: { value: "7" } }
    })
  })

  it("never sends a mask back", () => {
    const current = { Id: "1", DisplayName: "a", Notes: "n", PrimaryTaxIdentifier: "XXXXXX56789" }
    assert.deepStrictEqual(overlay(current, { DisplayName: "b", Notes: null }), {
      Id: "1",
      DisplayName: "b",
      Notes: null,
      sparse: true
    })
    assert.deepStrictEqual(overlay(current, { PrimaryTaxIdentifier: "123456789" }), {
      ...current,
      PrimaryTaxIdentifier: "123456789"
    })
  })

  it("reads a country only where it surely is one", () => {
    const context = { reference: () => "" }
    for (const [native, code] of [
      ["USA", "US"],
      ["united kingdom", "GB"],
      ["France", "FR"],
      ["de", "DE"],
      ["Middle Earth", "Middle Earth"]
    ]) {
      assert.strictEqual(country.decode(native, context), code)
    }
  })
})

describe("what QuickBooks says when something is wrong", () => {
  const read = (status: number, body: unknown) => readError({ status, headers: {}, body, now: 0 })

  it.each([
    ["6210", "Account Period Closed, Cannot Update Through Services API", "The account period has closed."],
    ["6200", "Account Period Closed", ""],
    ["5010", "Account Period Closed", "The account period has closed. {1}"]
  ])("names the date where the books are closed (%s)", (code, Message, Detail) => {
    const { reason } = read(400, {
      Fault: { Error: [{ Message, Detail, code, element: "" }], type: "ValidationFault" }
    })
    assert.deepStrictEqual(reason?._tag === "Invalid" ? Object.keys(reason.fields) : reason?._tag, ["TxnDate"])
  })

  const fault = (code: string, element = "", Detail = "d", type = "ValidationFault") => ({
    Fault: { Error: [{ Message: "m", Detail, code, element }], type }
  })

  it.each([
    [400, fault("5010"), "Stale"],
    [400, fault("6240"), "Clash"],
    [400, fault("610"), "Missing"],
    [400, fault("6000"), "Invalid"],
    [401, fault("003200", "", "expired", "AUTHENTICATION"), "Unauthenticated"],
    [
      401,
      { fault: { error: [{ message: "m", detail: "d", code: "3200" }], type: "AUTHENTICATION" } },
      "Unauthenticated"
    ],
    [403, fault("3100", "", "d", "AuthorizationFault"), "NotPermitted"],
    [400, fault("120", "", "d", "AuthorizationFault"), "NotPermitted"],
    [429, "<IntuitResponse/>", "LimitReached"],
    [403, `<Fault type="SERVICE"><Error code="3001"><Message/></Error></Fault>`, "LimitReached"]
  ])("%i %j is %s", (status, body, tag) => {
    assert.strictEqual(read(status, body).reason?._tag, tag)
  })

  it("names the native field", () => {
    const fields = (body: unknown) => {
      const { reason } = read(400, body)
      return reason?._tag === "Invalid" ? reason.fields : undefined
    }
    assert.deepStrictEqual(fields(fault("2500", "CustomerRef")), { "CustomerRef.value": "m: d" })
    assert.deepStrictEqual(fields(fault("2020", "", "Required parameter Line.Amount is missing in the request")), {
      Amount: "m: Required parameter Line.Amount is missing in the request"
    })
    assert.deepStrictEqual(fields(fault("6000")), {})
  })
})

// ---------------------------------------------------------------------------------------------------------------------

/** Every mapping writes what it reads: bodies of writable fields survive the way there and back. */
layer(live)("QuickBooks mappings", (it) => {
  const words = fc.string({ minLength: 1, maxLength: 30 }).filter((value) => value.trim() !== "")
  const money = fc.integer({ min: 0, max: 10_000_000 }).map((cents) => cents / 100)
  const day = fc.integer({ min: 0, max: 20_000 }).map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10))
  const id = fc.integer({ min: 1, max: 9999 }).map(String)
  const { context, resolve } = makeIdentities()
  const to = (resource: string, nativeType: string) =>
    id.map((remoteId) => context.reference(resource, nativeType, remoteId))
  const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
  const company = fc.constant(context.reference("company_info", "CompanyInfo", "1"))
  const currency = fc.constantFrom("USD", "EUR", "GBP")

  const address = (type: string) =>
    fc
      .record({
        street_1: words.map((value) => value.trim()),
        street_2: some(fc.constantFrom("Floor 2", "Floor 2\nDoor 3", "a\nb\nc\nd")),
        city: some(words),
        country_subdivision: some(words),
        country: some(fc.constantFrom("US", "GB", "DE", "KE", "Atlantis")),
        zip_code: some(words)
      })
      .map((fields) => ({ type, ...fields }))
  const phones = fc
    .subarray(["MAIN", "MOBILE", "OTHER", "FAX"])
    .chain((types) => fc.tuple(...types.map((type) => words.map((number) => ({ type, number })))))
  const contact = (flags: Native, places: ReadonlyArray<string>) =>
    fc.record({
      is_customer: fc.constant(flags.is_customer),
      is_supplier: fc.constant(flags.is_supplier),
      name: words,
      email_address: some(words),
      tax_number: some(words),
      status: some(fc.constantFrom("ACTIVE", "ARCHIVED")),
      currency: some(currency),
      company: some(company),
      addresses: fc.subarray([...places]).chain((types) => fc.tuple(...types.map(address))),
      phone_numbers: phones
    })

  const [Class, Department] = [to("tracking_category", "Class"), to("tracking_category", "Department")]
  const priced = fc
    .record({ quantity: fc.integer({ min: 1, max: 99 }), cents: fc.integer({ min: 0, max: 99_999 }), form: fc.nat(2) })
    .map(({ cents, form, quantity }) => {
      const [unit_price, total_amount] = [cents / 100, (cents * quantity) / 100]
      return form === 0
        ? { quantity, unit_price, total_amount }
        : form === 1
          ? { quantity, unit_price }
          : { total_amount }
    })
  const line = {
    description: some(words),
    tax_rate: some(to("tax_rate", "TaxCode")),
    project: some(to("project", "Customer")),
    tracking_categories: fc.oneof(
      fc.constant([]),
      Class.map((uuid) => [uuid])
    )
  }
  const sold = fc
    .tuple(fc.record({ ...line, item: to("item", "Item"), is_billable: some(fc.constant(false)) }), priced)
    .map(([fields, price]) => ({ ...fields, ...price }))
  const cost = { ...line, contact: some(to("contact", "Customer")), is_billable: some(fc.boolean()) }
  const bought = fc.oneof(
    fc
      .tuple(fc.record({ ...cost, item: to("item", "Item") }), priced)
      .map(([fields, price]) => ({ ...fields, ...price })),
    fc.record({ ...cost, account: to("account", "Account"), total_amount: money, quantity: some(fc.constant(1)) })
  )
  const document = {
    number: some(words),
    issue_date: some(day),
    due_date: some(day),
    memo: some(words),
    company: some(company),
    currency: some(currency),
    exchange_rate: some(fc.constantFrom("1.0", "1.25", "0.0091", "153.0")),
    payment_term: some(to("payment_term", "Term")),
    inclusive_of_tax: some(fc.boolean())
  }

  const head = {
    transaction_date: day,
    memo: some(words),
    company: some(company),
    currency: some(currency),
    exchange_rate: some(fc.constantFrom("1.0", "1.25", "0.0091"))
  }
  const location = fc.oneof(
    fc.constant([]),
    Department.map((uuid) => [uuid])
  )
  /** A bank account or a credit card, as the lookup below has them. */
  const source = fc.constantFrom("41", "42").map((id) => context.reference("account", "Account", id))
  const name = fc.oneof(
    fc.record({ contact: some(to("contact", "Vendor")) }),
    fc.record({ employee: to("employee", "Employee") })
  )
  const spent = fc.record({
    account: to("account", "Account"),
    net_amount: money,
    description: some(words),
    tax_rate: some(to("tax_rate", "TaxCode")),
    contact: some(to("contact", "Customer")),
    is_billable: some(fc.boolean())
  })
  const applied = (...kinds: ReadonlyArray<readonly [type: string, resource: string, nativeType: string]>) =>
    fc.uniqueArray(
      fc.oneof(
        ...kinds.map(([related_object_type, resource, nativeType]) =>
          fc.record({
            related_object_type: fc.constant(related_object_type),
            related_object_id: to(resource, nativeType),
            applied_amount: money.filter((amount) => amount > 0)
          })
        )
      ),
      { maxLength: 3, selector: ({ related_object_id }) => related_object_id }
    )

  const kinds = fc.constantFrom(
    { type: "ASSET", account_type: "BANK", classification: "ASSET" },
    { type: "ASSET", account_type: "OTHER_CURRENT_ASSET", classification: "ASSET" },
    { type: "LIABILITY", account_type: "LONG_TERM_LIABILITY", classification: "LIABILITY" },
    { type: "EQUITY", classification: "EQUITY" },
    { type: "INCOME", classification: "REVENUE" },
    { type: "EXPENSE" },
    { type: "COST_OF_GOODS_SOLD", account_type: "COST_OF_GOODS_SOLD" }
  )

  const bodies: ReadonlyArray<readonly [Name, string, fc.Arbitrary<Body>]> = [
    ["contact", "Customer", contact({ is_customer: true, is_supplier: false }, ["BILLING", "SHIPPING"])],
    ["contact", "Vendor", contact({ is_customer: false, is_supplier: true }, ["BILLING"])],
    [
      "account",
      "Account",
      fc
        .tuple(
          kinds,
          fc.record({
            name: words,
            description: some(words),
            status: some(fc.constantFrom("ACTIVE", "INACTIVE")),
            currency: some(currency),
            account_number: some(words.map((word) => word.slice(0, 7))),
            parent_account: some(to("account", "Account")),
            company: some(company)
          })
        )
        .map(([kind, fields]) => ({
          ...fields,
          ...kind,
          // a detail type belongs to its account type
          ...(kind.account_type === "BANK" ? { remote_type: "Savings" } : {})
        }))
    ],
    [
      "item",
      "Item",
      fc.record({
        name: words,
        code: some(words),
        description: some(words),
        status: some(fc.constantFrom("ACTIVE", "ARCHIVED")),
        type: fc.constantFrom("INVENTORY", "NON_INVENTORY", "SERVICE"),
        unit_price: some(money),
        purchase_price: some(money),
        sales_account: some(to("account", "Account")),
        purchase_account: some(to("account", "Account")),
        sales_tax_rate: some(to("tax_rate", "TaxCode")),
        purchase_tax_rate: some(to("tax_rate", "TaxCode")),
        company: some(company)
      })
    ],
    [
      "invoice",
      "Invoice",
      fc.record({
        ...document,
        type: fc.constant("ACCOUNTS_RECEIVABLE"),
        contact: to("contact", "Customer"),
        // no more than the one line that is always there
        total_discount: some(fc.constantFrom(0, 0.01, 9.99)),
        tracking_categories: fc
          .tuple(Class, Department)
          .chain(([one, other]) => fc.constantFrom([], [one], [other], [one, other])),
        line_items: fc
          .tuple(fc.array(sold, { maxLength: 3 }), to("item", "Item"))
          .map(([lines, item]) => [...lines, { item, total_amount: 9.99 }])
      })
    ],
    [
      "invoice",
      "Bill",
      fc.record({
        ...document,
        type: fc.constant("ACCOUNTS_PAYABLE"),
        contact: to("contact", "Vendor"),
        tracking_categories: fc.oneof(
          fc.constant([]),
          Department.map((uuid) => [uuid])
        ),
        purchase_orders: fc.uniqueArray(to("purchase_order", "PurchaseOrder"), { maxLength: 3 }),
        line_items: fc.array(bought, { minLength: 1, maxLength: 4 })
      })
    ],
    [
      "payment",
      "Payment",
      fc.record({
        ...head,
        type: fc.constant("ACCOUNTS_RECEIVABLE"),
        contact: to("contact", "Customer"),
        account: some(to("account", "Account")),
        payment_method: some(to("payment_method", "PaymentMethod")),
        total_amount: money,
        applied_to_lines: applied(["INVOICE", "invoice", "Invoice"], ["CREDIT_NOTE", "credit_note", "CreditMemo"])
      })
    ],
    [
      "payment",
      "BillPayment",
      fc.record({
        ...head,
        type: fc.constant("ACCOUNTS_PAYABLE"),
        contact: to("contact", "Vendor"),
        account: source,
        total_amount: money,
        tracking_categories: location,
        applied_to_lines: applied(["INVOICE", "invoice", "Bill"], ["VENDOR_CREDIT", "vendor_credit", "VendorCredit"])
      })
    ],
    [
      "journal_entry",
      "JournalEntry",
      fc.record({
        ...head,
        journal_number: some(words),
        inclusive_of_tax: some(fc.boolean()),
        lines: fc.array(
          fc
            .tuple(
              fc.record({
                account: to("account", "Account"),
                net_amount: fc.oneof(
                  money,
                  money.filter((amount) => amount > 0).map((amount) => -amount)
                ),
                description: some(words),
                tax_rate: some(to("tax_rate", "TaxCode")),
                tracking_categories: fc.tuple(Class, Department)
              }),
              name
            )
            .map(([line, named]) => ({ ...line, ...named })),
          { minLength: 2, maxLength: 4 }
        )
      })
    ],
    [
      "expense",
      "Purchase",
      fc
        .tuple(
          fc.record({
            ...head,
            account: source,
            payment_method: some(to("payment_method", "PaymentMethod")),
            inclusive_of_tax: some(fc.boolean()),
            tracking_categories: location,
            lines: fc.array(spent, { minLength: 1, maxLength: 4 })
          }),
          name
        )
        .map(([body, named]) => ({ ...body, ...named }))
    ],
    [
      "expense",
      "Purchase",
      // money that came back on the card, and what of it did not
      fc.record({
        ...head,
        account: fc.constant(context.reference("account", "Account", "42")),
        lines: fc
          .array(
            spent.map((line) => ({ ...line, net_amount: line.net_amount === 0 ? 0 : -line.net_amount })),
            { minLength: 1, maxLength: 3 }
          )
          .chain((lines) =>
            fc.subarray([...lines, ...lines.map((line) => ({ ...line, net_amount: 0.01 }))], { minLength: 1 })
          )
      })
    ],
    [
      "purchase_order",
      "PurchaseOrder",
      fc.record({
        issue_date: some(day),
        memo: some(words),
        currency: some(currency),
        status: some(fc.constantFrom("AUTHORIZED", "BILLED")),
        purchase_order_number: some(words),
        delivery_date: some(day),
        customer: some(to("contact", "Customer")),
        vendor: to("contact", "Vendor"),
        payment_term: some(to("payment_term", "Term")),
        tracking_categories: fc.tuple(Class, Department),
        line_items: fc.array(
          fc.record({
            account: to("account", "Account"),
            description: some(words),
            tax_rate: some(to("tax_rate", "TaxCode")),
            total_line_amount: money
          }),
          { minLength: 1, maxLength: 4 }
        )
      })
    ],
    [
      "credit_note",
      "CreditMemo",
      fc.record({
        ...head,
        number: some(words),
        contact: to("contact", "Customer"),
        inclusive_of_tax: some(fc.boolean()),
        tracking_categories: fc.tuple(Class, Department),
        line_items: fc.array(
          fc.record({
            item: to("item", "Item"),
            description: some(words),
            tax_rate: some(to("tax_rate", "TaxCode")),
            quantity: some(fc.integer({ min: 1, max: 9 })),
            total_line_amount: money
          }),
          { minLength: 1, maxLength: 4 }
        )
      })
    ],
    [
      "vendor_credit",
      "VendorCredit",
      fc.record({
        ...head,
        number: some(words),
        vendor: to("contact", "Vendor"),
        inclusive_of_tax: some(fc.boolean()),
        tracking_categories: location,
        lines: fc.array(
          fc.record({
            account: to("account", "Account"),
            net_amount: money,
            description: some(words),
            contact: some(to("contact", "Customer"))
          }),
          { minLength: 1, maxLength: 4 }
        )
      })
    ]
  ]

  const lookups = {
    preferences: { CurrencyPrefs: { HomeCurrency: { value: "USD" }, MultiCurrencyEnabled: true } },
    accounts: [
      { Id: "41", AccountType: "Bank" },
      { Id: "42", AccountType: "Credit Card" }
    ],
    items: []
  }

  /** The given part of a decoded value: what the body says, at every depth. */
  const likeBody = (body: unknown, decoded: unknown): unknown => {
    if (Array.isArray(body) && Array.isArray(decoded) && body.length === decoded.length) {
      return body.map((item, i) => likeBody(item, decoded[i]))
    }
    return isNative(body) && isNative(decoded)
      ? Object.fromEntries(Object.keys(body).map((key) => [key, likeBody(body[key], decoded[key])]))
      : decoded
  }

  /** Without what is not said, and without a rate where there is none. */
  const without = (body: unknown): unknown => {
    if (Array.isArray(body)) return body.map(without)
    if (!isNative(body)) return body
    const isHome = body.currency === undefined || body.currency === "USD"
    return Object.fromEntries(
      Object.entries(body).flatMap(([key, value]) =>
        value === undefined || (key === "exchange_rate" && isHome) ? [] : [[key, without(value)]]
      )
    )
  }

  const variantOf = (name: Name, nativeType: string) =>
    Effect.map(Providers, (providers) => {
      const resourceAdapter = one(one(providers.get("quickbooks"), "adapter").resources[name], name)
      return one(compile("quickbooks", resources[name], resourceAdapter.mapping).variant(nativeType), nativeType)
    })

  it.effect("shares a payment out: credits first, in the order of the lines, then money", () =>
    Effect.gen(function* () {
      const variant = yield* variantOf("invoice", "Invoice")
      const payment = {
        Id: "9",
        TxnDate: "2026-03-01",
        TotalAmt: 59.9,
        Line: [
          { Amount: 70.1, LinkedTxn: [{ TxnId: "1", TxnType: "Invoice" }] },
          { Amount: 29.9, LinkedTxn: [{ TxnId: "2", TxnType: "Invoice" }] },
          { Amount: 40.1, LinkedTxn: [{ TxnId: "3", TxnType: "CreditMemo" }] }
        ]
      }
      const applied = (Id: string, TotalAmt: number) => {
        const LinkedTxn = [{ TxnId: "9", TxnType: "Payment" }]
        const record = { Id, TotalAmt, Balance: 0, LinkedTxn }
        const { applied_credit_notes, applied_payments, paid_on_date, payments } = variant.decode(
          { record, lookups, parts: { payments: [payment] } },
          context
        )
        return { applied_credit_notes, applied_payments, paid_on_date, payments }
      }
      const reference = context.reference("payment", "Payment", "9")
      const inMoney = (document: string, applied_amount: number) => ({
        remote_id: `9:${document}`,
        payment: reference,
        applied_amount,
        applied_date: "2026-03-01"
      })
      assert.deepStrictEqual(applied("1", 70.1), {
        payments: [reference],
        paid_on_date: "2026-03-01",
        applied_payments: [inMoney("1", 30)],
        applied_credit_notes: [
          {
            remote_id: "9:3",
            credit_note: context.reference("credit_note", "CreditMemo", "3"),
            applied_date: "2026-03-01",
            applied_amount: 40.1,
            remote_was_deleted: false
          }
        ]
      })
      assert.deepStrictEqual(applied("2", 29.9), {
        payments: [reference],
        paid_on_date: "2026-03-01",
        applied_payments: [inMoney("2", 29.9)],
        applied_credit_notes: []
      })
    })
  )

  it.effect("keeps lines that have no canonical form, text lines, and a discount that makes up the total", () =>
    Effect.gen(function* () {
      const variant = yield* variantOf("invoice", "Invoice")
      const sold = (Id: string, Amount: number) => ({
        Id,
        Amount,
        DetailType: "SalesItemLineDetail",
        SalesItemLineDetail: { ItemRef: { value: "5", name: "Hours" }, Qty: 2, UnitPrice: Amount / 2 }
      })
      const note = { Id: "2", DetailType: "DescriptionOnly", Description: "a note", DescriptionLineDetail: {} }
      const subtotal = { Amount: 30, DetailType: "SubTotalLineDetail", SubTotalLineDetail: {} }
      const discount = {
        Amount: 3,
        DetailType: "DiscountLineDetail",
        DiscountLineDetail: { PercentBased: true, DiscountPercent: 10 }
      }
      const record = { Id: "1", SyncToken: "0", Line: [sold("1", 10), note, sold("3", 20), subtotal, discount] }
      const patch = (body: Body) => {
        const input = {
          resolve,
          lookups,
          current: { record },
          handling: "strict" as const,
          today: "2026-03-02",
          currentRecord: undefined
        }
        const made = variant.encode(body, "patch", input)
        return made._tag === "Left" ? made.left : newObject(made.right.record).Line
      }
      const shown = linesOf(variant.decode({ record, lookups }, context))
      assert.deepStrictEqual(
        shown.map((line) => [line.remote_id, line.total_amount]),
        [
          ["1", 10],
          ["2", 0],
          ["3", 20]
        ]
      )
      assert.deepStrictEqual(patch({ line_items: shown, total_discount: 3 }), record.Line)
      assert.deepStrictEqual(
        patch({
          line_items: [
            { remote_id: "2", description: "another" },
            { remote_id: "3", total_amount: 25 }
          ]
        }),
        [
          { ...note, Description: "another" },
          { ...sold("3", 25), SalesItemLineDetail: { ...sold("3", 25).SalesItemLineDetail, UnitPrice: 12.5 } },
          subtotal,
          discount
        ]
      )
      assert.deepStrictEqual(patch({ total_discount: 4 }), [
        ...record.Line.slice(0, 4),
        { Amount: 4, DetailType: "DiscountLineDetail", DiscountLineDetail: { PercentBased: false } }
      ])
      assert.deepStrictEqual(patch({ line_items: [{ remote_id: "7", total_amount: 1 }] }), {
        "line_items.0.remote_id": "is not a line of this record",
        "line_items.0.total_amount": "is always 0 here"
      })
    })
  )

  for (const [name, nativeType, arbitrary] of bodies) {
    it.effect(`${nativeType}: decode after encode is the body`, () =>
      Effect.gen(function* () {
        const variant = yield* variantOf(name, nativeType)
        const input: EncodeInput = {
          resolve,
          lookups,
          current: undefined,
          handling: "strict" as const,
          today: "2026-03-02",
          currentRecord: undefined
        }
        fc.assert(
          fc.property(arbitrary, (generated) => {
            const body = without(generated)
            if (!isNative(body)) return
            const made = variant.encode(body, "create", input)
            assert.deepStrictEqual(made._tag === "Left" ? made.left : {}, {})
            if (made._tag === "Left") return
            const record = { Id: "1", ...newObject(made.right.record) }
            const decoded = variant.decode({ record, lookups }, context)
            assert.deepStrictEqual(likeBody(body, decoded), body)

            // the same written over another record of the kind
            const over = variant.encode(body, "replace", { ...input, current: { record }, currentRecord: decoded })
            assert.deepStrictEqual(over._tag === "Left" ? over.left : {}, {})
            if (over._tag === "Left") return
            const again = variant.decode({ record: overlay(record, over.right.record), lookups }, context)
            assert.deepStrictEqual(likeBody(body, again), body)
          }),
          { numRuns: 200 }
        )
      })
    )
  }
})
