import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { simulator } from "../../../src/providers/xero/simulator/XeroSimulator.ts"
import { notedApplication } from "../../support/Noted.ts"
import { type Doc, pageOf, walk } from "../../support/SandboxApplication.ts"
import { organisation, uuidOf } from "./organisation.ts"

const { application, during } = notedApplication(simulator)

layer(application, { timeout: "60 seconds" })("Xero's filters", (it) => {
  /** Lists by filters, and tells what Xero is asked for that: path, parameters but those of every list, header. */
  const listing = Effect.map(organisation, (own) => ({
    ...own,
    list: (resource: string, wanted: { readonly [filter: string]: string }) =>
      Effect.gen(function* () {
        const path = `${own.path(resource)}&${new URLSearchParams({ limit: "100", ...wanted }).toString()}`
        const { answer, asked } = yield* during(own.call("GET", path))
        assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
        return {
          records: pageOf(answer).data,
          asked: asked.map(({ headers, path, query }) => {
            const usual = ["page", "pageSize", "order", "unitdp", "includeArchived"]
            const own = [...query].filter(([name]) => !usual.includes(name)).map((one) => one.join("="))
            const since = headers["if-modified-since"]
            return [path.split("/").at(-1), ...own, ...(since === undefined ? [] : [`since ${since}`])].join(" ")
          })
        }
      })
  }))

  it.effect("each that Xero has is asked of it, in one call", () =>
    Effect.gen(function* () {
      const { bank, contact, list } = yield* listing
      // lookups are loaded
      for (const resource of ["invoice", "transaction", "item"]) yield* list(resource, {})
      const guid = (yield* list("contact", { name: "analytical engines" })).records[0]?.remote_id
      const account = (yield* list("account", {})).records.find((one) => uuidOf(one) === bank)?.remote_id
      const living = 'where=Status!="DELETED"'
      const lists: ReadonlyArray<readonly [string, { readonly [filter: string]: string }, ReadonlyArray<string>]> = [
        [
          "contact",
          { name: "Analytical E", email_address: 'ada"@b.c', is_customer: "false", status: "ACTIVE" },
          [
            'Contacts where=Name!=null AND Name.ToLower().StartsWith("analytical e") AND EmailAddress!=null AND EmailAddress.ToLower().StartsWith("ada") AND IsCustomer==false'
          ]
        ],
        // what may not be the same in lower case everywhere is sifted
        ["contact", { name: "Zoë" }, ['Contacts where=Name!=null AND Name.ToLower().StartsWith("zo")']],
        ["contact", { tax_number: "É1" }, ["Contacts", "Contacts", "Contacts"]],
        ["contact", { q: "engines" }, ["Contacts searchTerm=engines"]],
        [
          "invoice",
          { contact, status: "OPEN,PARTIALLY_PAID", type: "ACCOUNTS_RECEIVABLE", due_before: "2026-11-20" },
          [
            `Invoices ${living} AND (Type=="ACCREC") AND DueDate<DateTime(2026,11,20) ContactIDs=${String(guid)} Statuses=AUTHORISED`
          ]
        ],
        // a day is later than an instant within it only if it begins later
        [
          "invoice",
          { issued_after: "2026-03-04T00:00:01Z", issued_before: "9999-12-31T23:00:00Z" },
          [`Invoices ${living} AND Date>=DateTime(2026,3,5) AND Date<DateTime(9999,12,31)`]
        ],
        ["invoice", { number: "INV-0001" }, [`Invoices ${living} searchTerm=INV-0001`]],
        [
          "invoice",
          { created_after: "2026-11-01", modified_after: "2026-05-01T00:00:00.500Z" },
          [`Invoices ${living} since 2026-11-01T00:00:00`]
        ],
        ["invoice", { modified_after: "0001-01-01" }, [`Invoices ${living}`]],
        ["invoice", { status: "VOID", include_deleted: "true" }, ["Invoices Statuses=VOIDED,DELETED"]],
        [
          "credit_note",
          { number: "cn-", status: "PAID,VOID" },
          [
            `CreditNotes where=Type=="ACCRECCREDIT" AND Status!="DELETED" AND CreditNoteNumber!=null AND CreditNoteNumber.ToLower().StartsWith("cn-") AND (Status=="PAID" OR Status=="VOIDED" OR Status=="DELETED")`
          ]
        ],
        [
          "vendor_credit",
          { contact },
          [
            `CreditNotes where=Type=="ACCPAYCREDIT" AND Status!="DELETED" AND Status!="VOIDED" AND Contact.ContactID==Guid("${String(guid)}")`
          ]
        ],
        [
          "payment",
          { type: "ACCOUNTS_RECEIVABLE", transaction_after: "2026-01-01" },
          [
            `Payments ${living} AND PaymentType!="ACCPAYPAYMENT" AND PaymentType!="APCREDITPAYMENT" AND PaymentType!="APOVERPAYMENTPAYMENT" AND PaymentType!="APPREPAYMENTPAYMENT" AND Date>=DateTime(2026,1,1)`
          ]
        ],
        [
          "purchase_order",
          { status: "DRAFT", issued_after: "2026-01-01", issued_before: "2026-03-01" },
          ["PurchaseOrders Status=DRAFT DateFrom=2026-01-01 DateTo=2026-02-28"]
        ],
        ["purchase_order", { status: "DRAFT,SUBMITTED" }, ["PurchaseOrders"]],
        [
          "journal_entry",
          { transaction_after: "2026-01-01" },
          ['ManualJournals where=Status!="DELETED" AND Status!="VOIDED" AND Date>=DateTime(2026,1,1)']
        ],
        [
          "expense",
          { account: bank },
          [
            `BankTransactions where=Type=="SPEND" AND Status!="DELETED" AND Status!="VOIDED" AND BankAccount.AccountID==Guid("${String(account)}")`
          ]
        ],
        ["project", { contact }, [`Projects contactID=${String(guid)}`]],
        ["address", { contact }, [`Contacts IDs=${String(guid)}`]],
        ["phone_number", { modified_after: "2026-06-01" }, ["Contacts since 2026-06-01T00:00:00", "Organisation"]],
        // all of them come at once, and are sifted at once
        ["item", { name: "no such", limit: "1" }, ["Items"]],
        ["account", { status: "INACTIVE", limit: "1" }, ["Accounts"]],
        ["tax_rate", { name: "no such", limit: "1" }, ["TaxRates"]]
      ]
      for (const [resource, wanted, asked] of lists) {
        const of = wanted.limit === undefined ? {} : { fields: "name" }
        const made = (yield* list(resource, { ...wanted, ...of })).asked
        // the credits that invoices name are read in one more call for each kind
        const own = made.filter(
          (one) => resource !== "invoice" || !/^(CreditNotes|Overpayments|Prepayments) /.test(one)
        )
        assert.deepStrictEqual(own, asked, JSON.stringify(wanted))
      }
    })
  )

  it.effect("transactions are looked for where there can be some", () =>
    Effect.gen(function* () {
      const { bank, contact, list } = yield* listing
      const kinds = (asked: ReadonlyArray<string>) => asked.map((one) => one.split(" ")[0])
      assert.deepStrictEqual(kinds((yield* list("transaction", { contact })).asked), [
        "BankTransactions",
        "Overpayments",
        "Prepayments"
      ])
      const { asked, records } = yield* list("transaction", { account: bank, fields: "account" })
      assert.deepStrictEqual(kinds(asked), ["BankTransactions", "BankTransfers"])
      assert.isNotEmpty(records)
      assert.isTrue(records.every((one) => one.account === bank))
    })
  )

  it.effect("what was changed in one second is told apart by its milliseconds", () =>
    Effect.gen(function* () {
      const { connection, list, owed } = yield* listing
      const store = yield* SimulationStore
      const made: Array<Doc> = []
      for (const milliseconds of [100, 500, 900]) {
        const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 10)
        yield* store.run("xero", connection, ({ get, put }) => {
          const id = String(invoice.remote_id)
          put("Invoice", id, { ...get("Invoice", id), UpdatedDateUTC: Date.UTC(2027, 0, 1, 12, 0, 0, milliseconds) })
        })
        made.push(invoice)
      }
      const since = (instant: string) =>
        Effect.map(list("invoice", { modified_after: instant }), ({ asked, records }) => {
          assert.match(asked.join(), /since 2027-01-01T12:00:00$/)
          return records.map(({ id }) => id)
        })
      const [, second, third] = made.map(({ id }) => id)
      assert.sameMembers(yield* since("2027-01-01T12:00:00.500Z"), [second, third])
      assert.sameMembers(yield* since("2027-01-01T12:00:00.501Z"), [third])
      assert.sameMembers(
        yield* since("2027-01-01T12:00:00Z"),
        made.map(({ id }) => id)
      )
    })
  )

  it.effect("what ended is told on demand, with the time of its end", () =>
    Effect.gen(function* () {
      const { call, connection, list, make, path, contact, owed, bank, sales, cost } = yield* listing
      const store = yield* SimulationStore
      const draft = yield* owed("ACCOUNTS_RECEIVABLE", 10, { status: "DRAFT" })
      const open = yield* owed("ACCOUNTS_RECEIVABLE", 10)
      const entries = [
        ["invoice", draft],
        [
          "payment",
          yield* make("payment", {
            type: "ACCOUNTS_RECEIVABLE",
            contact,
            account: bank,
            transaction_date: "2026-11-10",
            total_amount: 10,
            applied_to_lines: [{ related_object_type: "INVOICE", related_object_id: uuidOf(open), applied_amount: 10 }]
          })
        ],
        [
          "vendor_credit",
          yield* make("vendor_credit", {
            vendor: contact,
            transaction_date: "2026-11-10",
            lines: [{ description: "Brass", account: cost, net_amount: 10 }]
          })
        ],
        [
          "purchase_order",
          yield* make("purchase_order", {
            vendor: contact,
            issue_date: "2026-11-10",
            line_items: [{ description: "Brass", account: cost, quantity: 1, unit_price: 10 }]
          })
        ],
        [
          "journal_entry",
          yield* make("journal_entry", {
            memo: "Turned",
            transaction_date: "2026-11-10",
            lines: [
              { account: sales, net_amount: 10 },
              { account: cost, net_amount: -10 }
            ]
          })
        ],
        [
          "expense",
          yield* make("expense", {
            contact,
            account: bank,
            transaction_date: "2026-11-10",
            lines: [{ description: "Oil", account: cost, net_amount: 10 }]
          })
        ]
      ] as const
      for (const [resource, record] of entries) {
        const id = String(record.id)
        const removed = yield* call("DELETE", path(resource, record.remote_id))
        assert.strictEqual(removed.status, 200, resource)
        const deleted = { include_deleted: "true", modified_after: String(record.modified_at) }
        const { records } = yield* list(resource, deleted)
        const found = records.find((one) => one.id === id)
        assert.strictEqual(found?.remote_was_deleted, true, resource)
        assert.isTrue(String(found?.modified_at) >= String(record.modified_at))
        assert.notInclude(
          (yield* list(resource, {})).records.map((one) => one.id),
          id,
          resource
        )
        assert.isTrue(
          records.every((one) => String(one.modified_at) >= deleted.modified_after),
          resource
        )
      }
      // a transfer says that it was deleted, and not when: the header finds it
      const { records: before } = yield* list("transaction", { modified_after: "2027-01-01" })
      assert.deepStrictEqual(before, [])
      const deletedId = yield* store.run("xero", connection, ({ all, put }) => {
        const [one = {}] = all("BankTransfer")
        const id = String(one.BankTransferID)
        put("BankTransfer", id, { ...one, Status: "DELETED", UpdatedDateUTC: Date.UTC(2027, 0, 2) })
        return id
      })
      const { records } = yield* list("transaction", { modified_after: "2027-01-01", include_deleted: "true" })
      assert.deepStrictEqual(
        records.map((one) => [one.remote_id, one.remote_was_deleted]),
        [[deletedId, true]]
      )
      assert.deepStrictEqual((yield* list("transaction", { modified_after: "2027-01-01" })).records, [])
    })
  )

  it.effect("a word finds contacts and invoices where Xero looks for it", () =>
    Effect.gen(function* () {
      const { connection, list, make, owed } = yield* listing
      const store = yield* SimulationStore
      const ada = yield* make("contact", { name: "Countess" })
      yield* store.run("xero", connection, ({ get, put }) => {
        const id = String(ada.remote_id)
        put("Contact", id, { ...get("Contact", id), LastName: "Lovelace-Byron" })
      })
      const ids = (resource: string, q: string) =>
        Effect.map(list(resource, { q }), ({ records }) => records.map(({ id }) => id))
      assert.deepStrictEqual(yield* ids("contact", "BYRON"), [ada.id])
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 10, { reference: "Engine No. 2" })
      assert.deepStrictEqual(yield* ids("invoice", "engine no"), [invoice.id])
      assert.deepStrictEqual(yield* ids("invoice", "no such thing"), [])
    })
  )

  it.effect("states that Xero has one word for are told apart", () =>
    Effect.gen(function* () {
      const { call, path } = yield* listing
      const states = (wanted: string) =>
        Effect.map(
          walk(call, `${path("invoice")}${wanted}`, 7),
          ({ records }) => new Set(records.map(({ status }) => status))
        )
      for (const status of yield* states("")) {
        assert.deepStrictEqual(yield* states(`&status=${String(status)}`), new Set([status]))
      }
    })
  )
})
