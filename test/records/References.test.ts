import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import {
  type Call,
  type Doc,
  errorsOf,
  failureOf,
  listOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const quickbooks = "provider=quickbooks"
const invoices = `/accounting/invoice?${quickbooks}`
const uuidOf = (record: Doc | undefined) => String(record?.id).replace("urn:uuid:", "")
const unknown = "11111111-2222-5333-8444-555555555555"

layer(sandboxApplication(), { timeout: "60 seconds" })("references", (it) => {
  const connected = Effect.flatMap(SandboxApplication, (app) => app.caller(["quickbooks"]))

  const all = (call: Call, resource: string) =>
    Effect.map(walk(call, `/accounting/${resource}?${quickbooks}`), ({ records }) => records)

  it.effect("of a CRM body that name a service id are refused, and the error names the remedy", () =>
    Effect.gen(function* () {
      const { call } = yield* Effect.flatMap(SandboxApplication, (app) => app.caller(["hubspot"]))
      const of = "?provider=hubspot"
      const company = recordOf(yield* call("POST", `/crm/company${of}`, { body: { name: "Referred" } }))
      const remedy = "takes the remote_id of a company; urn:uuid:… is a service id"
      for (const [path, body, field] of [
        ["contact", { last_name: "L", account: company.id }, "account"],
        ["note", { content: "n", account: company.id }, "account"]
      ] as const) {
        const refused = yield* call("POST", `/crm/${path}${of}`, { body })
        assert.strictEqual(refused.status, 422)
        assert.strictEqual(errorsOf(refused)[field], remedy)
      }
      const bare = yield* call("POST", `/crm/contact${of}`, { body: { last_name: "L", account: uuidOf(company) } })
      assert.strictEqual(
        errorsOf(bare).account,
        `takes the remote_id ${String(company.remote_id)}; ${uuidOf(company)} is the service id of that company`
      )
      const filtered = yield* call("GET", `/crm/contact${of}&account=${encodeURIComponent(String(company.id))}`)
      assert.strictEqual(filtered.status, 400)
      assert.include(failureOf(filtered).message, remedy)
    })
  )

  it.effect("in the path take the remote_id and the service id in the CRM too", () =>
    Effect.gen(function* () {
      const { call } = yield* Effect.flatMap(SandboxApplication, (app) => app.caller(["hubspot"]))
      const of = "?provider=hubspot"
      const company = recordOf(yield* call("POST", `/crm/company${of}`, { body: { name: "By its id" } }))
      const listed = (yield* walk(call, `/crm/owner${of}`)).records[0]
      const owner = yield* call("GET", `/crm/owner/${encodeURIComponent(String(listed?.id))}${of}`)
      assert.strictEqual(recordOf(owner).remote_id, listed?.remote_id)
      const path = `/crm/company/${encodeURIComponent(String(company.id))}${of}`
      assert.strictEqual(recordOf(yield* call("GET", path)).remote_id, company.remote_id)
      assert.strictEqual(recordOf(yield* call("PATCH", path, { body: { name: "Changed" } })).name, "Changed")
      assert.strictEqual((yield* call("DELETE", path)).status, 200)
    })
  )

  it.effect("of an accounting body that name a remote_id are refused, lines included", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const [invoice] = yield* all(call, "invoice")
      const line = { description: "x", quantity: 1, unit_price: 1, item: "42" }
      const refused = yield* call("POST", invoices, {
        body: { type: invoice?.type, contact: "17", line_items: [line] }
      })
      assert.strictEqual(refused.status, 422)
      const errors = errorsOf(refused)
      assert.include(errors.contact, "(its id, not its remote_id)")
      assert.include(errors["line_items.0.item"], "(its id, not its remote_id)")
    })
  )

  it.effect("of records that were read lead to records, lines included", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const found = (yield* all(call, "invoice")).slice(0, 40)
      const get = (resource: string, uuid: unknown) =>
        call("GET", `/accounting/${resource}/urn%3Auuid%3A${String(uuid)}?${quickbooks}`)
      for (const invoice of found.slice(0, 5)) {
        const contact = recordOf(yield* get("contact", invoice.contact))
        assert.strictEqual(uuidOf(contact), invoice.contact)
        assert.isTrue(contact.is_customer)
        for (const line of listOf(invoice.line_items)) {
          if (line.item !== null) assert.strictEqual(uuidOf(recordOf(yield* get("item", line.item))), line.item)
          if (line.account === null) continue
          const account = recordOf(yield* get("account", line.account))
          assert.strictEqual(uuidOf(account), line.account)
        }
      }
      const ids = found.flatMap((invoice) => listOf(invoice.line_items).map(({ id }) => String(id)))
      assert.strictEqual(new Set(ids).size, ids.length, "every line has an id of its own")
    })
  )

  full(it).effect("find the records that refer to them, which are there as long as they are not deleted", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const found = yield* all(call, "invoice")
      assert.isTrue(found.every((invoice) => invoice.remote_was_deleted === false))
      const contact = String(found[0]?.contact)
      const referring = (uuid: string) =>
        Effect.map(walk(call, `${invoices}&contact=${uuid}`), ({ records }) => records.map(uuidOf))
      assert.sameMembers(yield* referring(contact), found.filter((one) => one.contact === contact).map(uuidOf))
      assert.deepStrictEqual(yield* referring(unknown), [])
    })
  )

  full(it).effect("can be followed as they are, and a UUID that is both ours and the provider's is ambiguous", () =>
    Effect.gen(function* () {
      const { call, connections } = yield* Effect.flatMap(SandboxApplication, (app) =>
        app.caller(["quickbooks", "xero"])
      )
      for (const provider of ["quickbooks", "xero"]) {
        const { records } = yield* walk(call, `/accounting/invoice?provider=${provider}`)
        const contact = String(records.find((one) => one.contact !== null)?.contact)
        const one = `/accounting/contact/${contact}?provider=${provider}`
        const found = recordOf(yield* call("GET", one))
        assert.strictEqual(uuidOf(found), contact)
        const patched = recordOf(yield* call("PATCH", one, { body: { email_address: "followed@one.example" } }))
        assert.deepStrictEqual([uuidOf(patched), patched.email_address], [contact, "followed@one.example"])
        assert.strictEqual((yield* call("GET", `/accounting/contact/${unknown}?provider=${provider}`)).status, 404)
        // Xero's own ids are UUIDs too
        const native = recordOf(
          yield* call("GET", `/accounting/contact/${String(found.remote_id)}?provider=${provider}`)
        )
        assert.strictEqual(native.id, found.id)
        if (provider === "quickbooks") continue
        yield* (yield* SimulationStore).run(provider, String(connections[provider]), (account) => {
          const held = account.get("Contact", String(found.remote_id))
          if (held === undefined) throw new Error("the simulator keeps contacts elsewhere")
          account.put("Contact", contact, { ...held, ContactID: contact, Name: "The contact of that id" })
        })
        const answer = yield* call("GET", one)
        assert.deepStrictEqual(refusalOf(answer), [409, "RECORD_AMBIGUOUS"])
        assert.include(failureOf(answer).message, String(found.id))
      }
    })
  )

  it.effect("are written with or without urn:uuid: in front, and read as bare UUIDs", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const item = (yield* all(call, "item")).find(({ status, type }) => status === "ACTIVE" && type === "SERVICE")
      const customers = (yield* all(call, "contact")).filter(
        (one) => one.is_customer === true && one.status === "ACTIVE" && one.currency === "USD"
      )
      const [customer, other] = customers
      for (const write of [
        uuidOf,
        (record: Doc | undefined) => String(record?.id),
        (record: Doc | undefined) => uuidOf(record).toUpperCase()
      ]) {
        const body = {
          type: "ACCOUNTS_RECEIVABLE",
          contact: write(customer),
          line_items: [{ item: write(item), quantity: 1, unit_price: 5 }]
        }
        const made = recordOf(yield* call("POST", invoices, { body }))
        assert.strictEqual(made.contact, uuidOf(customer))
        assert.strictEqual(listOf(made.line_items)[0]?.item, uuidOf(item))
        const one = `/accounting/invoice/${String(made.remote_id)}?${quickbooks}`
        const patched = recordOf(yield* call("PATCH", one, { body: { contact: write(other) } }))
        assert.strictEqual(patched.contact, uuidOf(other))
      }
    })
  )

  it.effect("to nothing, or to something else, are refused where they stand, all at once", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const item = (yield* all(call, "item")).find(({ status }) => status === "ACTIVE")
      const contacts = yield* all(call, "contact")
      const customer = contacts.find((one) => one.is_customer === true)
      const vendor = contacts.find((one) => one.is_supplier === true)
      const line = { item: uuidOf(item), quantity: 1, unit_price: 5 }
      const body = {
        type: "ACCOUNTS_RECEIVABLE",
        contact: uuidOf(customer),
        line_items: [line, { account: unknown, unit_price: 1 }]
      }
      const lineErrors = errorsOf(yield* call("POST", invoices, { body }))
      assert.deepStrictEqual(Object.keys(lineErrors), ["line_items.1.account"])
      assert.include(lineErrors["line_items.1.account"], "does not name a known account")

      const many = {
        ...body,
        contact: unknown,
        line_items: [
          { ...line, item: uuidOf(customer) },
          { ...line, tax_rate: unknown }
        ]
      }
      assert.deepStrictEqual(Object.keys(errorsOf(yield* call("POST", invoices, { body: many }))).toSorted(), [
        "contact",
        "line_items.0.item",
        "line_items.1.tax_rate"
      ])
      const wrongType = errorsOf(
        yield* call("POST", invoices, { body: { ...body, contact: uuidOf(vendor), line_items: [line] } })
      )
      assert.deepStrictEqual(Object.keys(wrongType), ["contact"])
      assert.match(String(wrongType.contact), /Vendor.*Customer/)
    })
  )

  it.effect("lines keep their identity: one changes, one goes, one comes", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const item = (yield* all(call, "item")).find(({ status, type }) => status === "ACTIVE" && type === "SERVICE")
      const customer = (yield* all(call, "contact")).find((one) => one.is_customer === true && one.status === "ACTIVE")
      const line = (description: string, unit_price: number) => ({
        item: uuidOf(item),
        description,
        quantity: 1,
        unit_price
      })
      const body = {
        type: "ACCOUNTS_RECEIVABLE",
        contact: uuidOf(customer),
        line_items: [line("a", 1), line("b", 2), line("c", 3)]
      }
      const made = recordOf(yield* call("POST", invoices, { body }))
      const [a, b, c] = listOf(made.line_items)
      const one = `/accounting/invoice/${String(made.remote_id)}?${quickbooks}`
      const line_items = [
        { ...c },
        { remote_id: a?.remote_id, item: uuidOf(item), unit_price: 10, total_amount: 10 },
        line("d", 4)
      ]
      const patched = recordOf(yield* call("PATCH", one, { body: { line_items } }))
      const after = listOf(patched.line_items)
      assert.deepStrictEqual(
        after.map(({ description, total_amount }) => [description, total_amount]),
        [
          ["c", 3],
          ["a", 10],
          ["d", 4]
        ]
      )
      assert.deepStrictEqual(
        after.slice(0, 2).map(({ id, remote_id }) => [id, remote_id]),
        [c, a].map((each) => [each?.id, each?.remote_id])
      )
      assert.isFalse(after.some(({ remote_id }) => remote_id === b?.remote_id))
      assert.strictEqual(patched.total_amount, 17)
      const stranger = yield* call("PATCH", one, { body: { line_items: [{ ...line("e", 1), remote_id: "999" }] } })
      assert.deepStrictEqual(Object.keys(errorsOf(stranger)), ["line_items.0.remote_id"])
    })
  )

  full(it).effect("created_after and created_before cut a list at the moment they name", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      for (const resource of ["invoice", "contact"]) {
        const records = yield* all(call, resource)
        const at = String(records[Math.floor(records.length / 2)]?.remote_created_at)
        const path = `/accounting/${resource}?${quickbooks}`
        const keys = (found: ReadonlyArray<Doc>) => found.map(({ id }) => String(id)).toSorted()
        const before = yield* walk(call, `${path}&created_before=${encodeURIComponent(at)}`, 30)
        const after = yield* walk(call, `${path}&created_after=${encodeURIComponent(at)}`, 30)
        const is = (holds: (moment: string) => boolean) =>
          keys(records.filter((record) => holds(String(record.remote_created_at))))
        assert.deepStrictEqual(
          keys(before.records),
          is((moment) => moment < at),
          `${resource} before`
        )
        assert.deepStrictEqual(
          keys(after.records),
          is((moment) => moment >= at),
          `${resource} after`
        )
        const day = at.slice(0, 10)
        const ofDay = yield* walk(call, `${path}&created_after=${day}&created_before=${day}T23:59:59.999Z`, 7)
        assert.deepStrictEqual(
          keys(ofDay.records),
          is((moment) => moment.startsWith(day)),
          `${resource} of a day`
        )
        const none = yield* walk(call, `${path}&created_after=2099-01-01`, 7)
        assert.deepStrictEqual(none.records, [])
      }
    })
  )

  full(it).effect("integration_params reach the provider, on the record and on a line, and are never returned", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const item = (yield* all(call, "item")).find(({ status, type }) => status === "ACTIVE" && type === "SERVICE")
      const customer = (yield* all(call, "contact")).find((one) => one.is_customer === true && one.status === "ACTIVE")
      const body = {
        type: "ACCOUNTS_RECEIVABLE",
        contact: uuidOf(customer),
        integration_params: { CustomerMemo: { value: "See you soon" } },
        line_items: [
          {
            item: uuidOf(item),
            quantity: 1,
            unit_price: 5,
            integration_params: { SalesItemLineDetail: { ServiceDate: "2026-11-01" } }
          }
        ]
      }
      const made = recordOf(yield* call("POST", invoices, { body }))
      assert.notInclude(JSON.stringify(made), "integration_params")
      const one = `/accounting/invoice/${String(made.remote_id)}?${quickbooks}`
      const native = JSON.stringify(recordOf(yield* call("GET", `${one}&include_remote_data=true`)).remote_data)
      assert.include(native, '"CustomerMemo":{"value":"See you soon"}')
      assert.include(native, '"ServiceDate":"2026-11-01"')
      // what the model does not hold survives a PATCH, and a PUT of what it does hold
      for (const method of ["PATCH", "PUT"]) {
        recordOf(yield* call(method, one, { body: { ...made, memo: method } }))
        const kept = JSON.stringify(recordOf(yield* call("GET", `${one}&include_remote_data=true`)).remote_data)
        assert.include(kept, "See you soon", method)
        assert.include(kept, '"ServiceDate":"2026-11-01"', method)
      }
      const wrong = { ...body, integration_params: { NoSuchField: 1 } }
      assert.deepStrictEqual(Object.keys(errorsOf(yield* call("POST", invoices, { body: wrong }))), [
        "integration_params.NoSuchField"
      ])
    })
  )
})
