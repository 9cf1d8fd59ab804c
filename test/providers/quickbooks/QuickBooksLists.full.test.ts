import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TaxRate } from "../../../src/canonical/accounting/TaxRate.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import { All } from "../../../src/providers/All.ts"
import { Providers } from "../../../src/providers/Providers.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { harness } from "../../support/Harness.ts"
import {
  type Call,
  type Caller,
  type Doc,
  errorsOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { said, strictly } from "../../support/Warnings.ts"

const of = (resource: string, id?: unknown) =>
  `/accounting/${resource}${id === undefined ? "" : `/${encodeURIComponent(String(id))}`}?provider=quickbooks`

const bare = (record: Doc | undefined) => String(record?.id).replace("urn:uuid:", "")

const isDoc = (value: unknown): value is Doc => typeof value === "object" && value !== null && !Array.isArray(value)

const found = (records: ReadonlyArray<Doc>, holds: (record: Doc) => boolean): Doc =>
  records.find(holds) ?? assert.fail("no such record")

const all = (call: Call, resource: string) => Effect.map(walk(call, of(resource)), ({ records }) => records)

/** The record as QuickBooks Online holds it. */
const nativeOf = (call: Call, resource: string, id: unknown) =>
  Effect.map(call("GET", `${of(resource, id)}&include_remote_data=true`), (answer): Doc => {
    const native = recordOf(answer).remote_data
    return isDoc(native) ? native : assert.fail("no native record")
  })

layer(sandboxApplication(), { timeout: "60 seconds" })("QuickBooks Online lists", (it) => {
  const caller = Effect.flatMap(SandboxApplication, (app) => app.caller(["quickbooks"]))

  /** Changes what the simulator holds, as somebody else would. */
  const inBooks = (who: Caller, change: (put: (type: string, id: string, doc: Doc) => void) => void) =>
    Effect.flatMap(SimulationStore, (store) =>
      store.run("quickbooks", who.connections.quickbooks ?? "", (account) => change(account.put))
    )

  it.effect("tax codes show their rates; new ones come with theirs, and stay", () =>
    Effect.gen(function* () {
      const who = yield* caller
      const { call } = who
      const codes = yield* all(call, "tax_rate")
      const city = found(codes, ({ name }) => name === "San Francisco, CA")
      assert.deepInclude(city, {
        code: "San Francisco, CA",
        status: "ACTIVE",
        country: "US",
        total_tax_rate: 8.625,
        effective_tax_rate: 8.625
      })
      assert.deepStrictEqual(
        Array.isArray(city.tax_components) ? city.tax_components.map(({ name, rate }: Doc) => [name, rate]) : [],
        [
          ["California", 7.25],
          ["San Francisco County", 1.375]
        ]
      )
      const pseudo = found(codes, ({ remote_id }) => remote_id === "TAX")
      assert.deepStrictEqual([pseudo.total_tax_rate, pseudo.tax_components], [null, []])

      const body = { name: "Brass", tax_components: [{ name: "Brass rate", rate: 2.5 }] }
      const refused = [
        [{ ...body, code: "BR" }, "code"],
        [{ ...body, description: "On brass" }, "description"],
        [{ ...body, tax_components: [{ name: "x", rate: 1, is_compound: true }] }, "tax_components.0.is_compound"],
        [
          {
            ...body,
            tax_components: [
              { name: "x", rate: 1 },
              { name: "y", rate: 1, is_compound: true }
            ]
          },
          "tax_components.1.is_compound"
        ]
      ] as const
      for (const [wrong, path] of refused) {
        const answer = yield* call("POST", of("tax_rate"), { body: wrong, headers: strictly })
        assert.deepStrictEqual(Object.keys(errorsOf(answer)), [path])
      }
      const made = recordOf(yield* call("POST", of("tax_rate"), { body }))
      assert.strictEqual(made.total_tax_rate, 2.5)
      assert.strictEqual((yield* call("POST", of("tax_rate"), { body })).status, 409)
      for (const method of ["PUT", "PATCH", "DELETE"]) {
        const answer = yield* call(method, of("tax_rate", made.remote_id), method === "DELETE" ? {} : { body })
        assert.deepStrictEqual(refusalOf(answer), [405, "OPERATION_NOT_SUPPORTED"], method)
      }

      // with a second agency somebody has to say whom the tax is owed to
      yield* inBooks(who, (put) => put("TaxAgency", "2", { Id: "2", SyncToken: "0", DisplayName: "Nevada" }))
      const second = { name: "Steel", tax_components: [{ name: "Steel rate", rate: 3, component_type: "PURCHASE" }] }
      assert.strictEqual((yield* call("POST", of("tax_rate"), { body: second })).status, 422)
      const named = yield* call("POST", of("tax_rate"), {
        body: { ...second, integration_params: { TaxAgencyId: "2" } }
      })
      assert.deepInclude(recordOf(named), { name: "Steel", total_tax_rate: 3 })
    })
  )

  it.effect("a tax on a tax is reckoned into the effective rate", () =>
    Effect.gen(function* () {
      const mapping = (yield* Providers).get("quickbooks")?.resources.tax_rate?.mapping
      const [variant] = mapping === undefined ? [] : compile("quickbooks", TaxRate, mapping).variants
      if (variant === undefined) return assert.fail("no mapping")
      const detail = (id: string, order: number, more: object) => ({
        TaxRateRef: { value: id },
        TaxTypeApplicable: "TaxOnAmount",
        TaxOrder: order,
        ...more
      })
      const effective = (type: string) =>
        variant.decode(
          {
            record: {
              Id: "5",
              SalesTaxRateList: {
                TaxRateDetail: [detail("1", 1, {}), detail("2", 2, { TaxTypeApplicable: type, TaxOnTaxOrder: 1 })]
              }
            },
            parts: {
              rates: [
                { Id: "1", RateValue: 5 },
                { Id: "2", RateValue: 10 }
              ]
            }
          },
          { reference: () => "", line: () => "" }
        )
      assert.deepInclude(effective("TaxOnAmountPlusTax"), { total_tax_rate: 15, effective_tax_rate: 15.5 })
      assert.deepInclude(effective("TaxOnTax"), { total_tax_rate: 15, effective_tax_rate: 5.5 })
    }).pipe(Effect.provide(All), Effect.provide(harness([])))
  )

  it.effect("classes and departments: a kind for good, parents of the same kind, archived when removed", () =>
    Effect.gen(function* () {
      const who = yield* caller
      const { call } = who
      const before = yield* all(call, "tracking_category")
      const someClass = found(before, ({ category_type }) => category_type === "CLASS")
      const location = found(before, ({ category_type }) => category_type === "LOCATION")
      const wrong = yield* call("POST", of("tracking_category"), {
        body: { name: "Looms", category_type: "CLASS", parent_category: bare(location) }
      })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["parent_category"])
      const none = yield* call("POST", of("tracking_category"), { body: { name: "Looms" }, headers: strictly })
      assert.deepStrictEqual(Object.keys(errorsOf(none)), ["category_type"])

      const made = recordOf(
        yield* call("POST", of("tracking_category"), {
          body: { name: "Looms", category_type: "CLASS", parent_category: bare(someClass) }
        })
      )
      const native = yield* nativeOf(call, "tracking_category", made.remote_id)
      assert.deepInclude(native, { SubClass: true, FullyQualifiedName: `${String(someClass.name)}:Looms` })
      const turned = yield* call("PATCH", of("tracking_category", made.remote_id), {
        body: { category_type: "LOCATION" }
      })
      assert.deepStrictEqual(Object.keys(errorsOf(turned)), ["category_type"])
      const top = recordOf(
        yield* call("PATCH", of("tracking_category", made.remote_id), { body: { parent_category: null } })
      )
      assert.isNull(top.parent_category)
      assert.isFalse((yield* nativeOf(call, "tracking_category", made.remote_id)).SubClass)

      assert.strictEqual((yield* call("DELETE", of("tracking_category", made.remote_id))).status, 200)
      const archived = found(yield* all(call, "tracking_category"), ({ id }) => id === made.id)
      assert.strictEqual(archived.status, "ARCHIVED")
      const again = recordOf(
        yield* call("PATCH", of("tracking_category", made.remote_id), { body: { status: "ACTIVE" } })
      )
      assert.strictEqual(again.status, "ACTIVE")

      // a department is taken as either, and told in the company's word
      const depot = { name: "Depot", category_type: "DEPARTMENT" }
      const made2 = recordOf(yield* call("POST", of("tracking_category"), { body: depot }))
      assert.strictEqual(made2.category_type, "LOCATION")
    })
  )

  it.effect("departments that are not called locations are departments", () =>
    Effect.gen(function* () {
      const who = yield* caller
      yield* all(who.call, "payment_method")
      yield* inBooks(who, (put) =>
        put("Preferences", "1", {
          Id: "1",
          SyncToken: "0",
          AccountingInfoPrefs: { DepartmentTerminology: "Store" },
          CurrencyPrefs: { MultiCurrencyEnabled: false, HomeCurrency: { value: "USD" } }
        })
      )
      const kinds = new Set((yield* all(who.call, "tracking_category")).map(({ category_type }) => category_type))
      assert.deepStrictEqual([...kinds], ["CLASS", "DEPARTMENT"])
    })
  )

  it.effect("ways of paying are known by their names", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const kinds = Object.fromEntries(
        (yield* all(call, "payment_method")).map(({ method_type, name }) => [name, method_type])
      )
      assert.deepInclude(kinds, { Cash: "CASH", Check: "CHECK", ACH: "ACH", Visa: "CREDIT_CARD" })
      const cases = [
        ["Debit Mastercard", "DEBIT_CARD", "DEBIT_CARD", "NON_CREDIT_CARD"],
        ["Cartes Bancaires", "CREDIT_CARD", "CREDIT_CARD", "CREDIT_CARD"],
        ["eCheck", "ACH", "ACH", "NON_CREDIT_CARD"],
        // nothing says that it is one: Intuit only knows that it is no credit card
        ["Barter", "CASH", null, "NON_CREDIT_CARD"]
      ] as const
      for (const [name, method_type, read, Type] of cases) {
        const made = recordOf(yield* call("POST", of("payment_method"), { body: { name, method_type } }))
        assert.strictEqual(made.method_type, read, name)
        assert.strictEqual((yield* nativeOf(call, "payment_method", made.remote_id)).Type, Type, name)
      }
      const card = found(yield* all(call, "payment_method"), ({ name }) => name === "Cartes Bancaires")
      const cleared = yield* call("PATCH", of("payment_method", card.remote_id), { body: { method_type: null } })
      assert.isNull(recordOf(cleared).method_type)
    })
  )

  it.effect("terms are of days or of a day of the month", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const monthly = found(yield* all(call, "payment_term"), ({ days_until_due }) => days_until_due === null)
      const one = of("payment_term", monthly.remote_id)
      const renamed = recordOf(yield* call("PUT", one, { body: { name: "Tenth" } }))
      assert.deepInclude(renamed, { name: "Tenth", days_until_due: null })
      assert.strictEqual((yield* nativeOf(call, "payment_term", monthly.remote_id)).DayOfMonthDue, 10)
      const days = recordOf(yield* call("PATCH", one, { body: { days_until_due: 14 } }))
      assert.strictEqual(days.days_until_due, 14)
      assert.notProperty(yield* nativeOf(call, "payment_term", monthly.remote_id), "DayOfMonthDue")
      const neither = yield* call("PATCH", one, { body: { days_until_due: null } })
      assert.deepStrictEqual(Object.keys(errorsOf(neither)), ["days_until_due"])
      const dated = yield* call("POST", of("payment_term"), {
        body: { name: "Fifteenth", integration_params: { DayOfMonthDue: 15 } }
      })
      assert.isNull(recordOf(dated).days_until_due)
    })
  )

  it.effect("an employee's name is put together anew, unless it was chosen", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const made = recordOf(yield* call("POST", of("employee"), { body: { first_name: "Ada", last_name: "Byron" } }))
      const one = of("employee", made.remote_id)
      yield* call("PATCH", one, { body: { last_name: "Lovelace" } })
      assert.deepInclude(yield* nativeOf(call, "employee", made.remote_id), {
        DisplayName: "Ada Lovelace",
        PrintOnCheckName: "Ada Lovelace"
      })
      yield* call("PATCH", one, { body: { integration_params: { DisplayName: "The Countess" } } })
      yield* call("PATCH", one, { body: { first_name: "Augusta" } })
      assert.strictEqual((yield* nativeOf(call, "employee", made.remote_id)).DisplayName, "The Countess")
      const contractor = yield* call("PATCH", one, { body: { is_contractor: true } })
      assert.deepStrictEqual(Object.keys(errorsOf(contractor)), ["is_contractor"])
    })
  )

  it.effect("projects are the jobs of customers; none are made, and none are contacts", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const projects = yield* all(call, "project")
      assert.isAtLeast(projects.length, 2)
      const contacts = new Set((yield* all(call, "contact")).map(bare))
      for (const { contact } of projects) assert.isTrue(contacts.has(String(contact)))
      const [first] = projects
      const customer = recordOf(yield* call("GET", of("contact", `urn:uuid:${String(first?.contact)}`)))
      assert.deepStrictEqual(refusalOf(yield* call("GET", of("project", customer.remote_id))), [
        404,
        "PROJECT_NOT_FOUND"
      ])
      const made = yield* call("POST", of("project"), { body: { name: "Mill", contact: bare(customer) } })
      assert.deepStrictEqual(refusalOf(made), [405, "OPERATION_NOT_SUPPORTED"])

      const one = of("project", first?.remote_id)
      assert.strictEqual(recordOf(yield* call("PATCH", one, { body: { name: "Mill" } })).name, "Mill")
      const orphan = yield* call("PATCH", one, { body: { contact: null } })
      assert.deepStrictEqual(Object.keys(errorsOf(orphan)), ["contact"])
      assert.strictEqual((yield* call("DELETE", one)).status, 200)
      assert.isFalse(recordOf(yield* call("GET", one)).is_active)
    })
  )

  it.effect("the company is one record, that is changed and nothing else", () =>
    Effect.gen(function* () {
      const who = yield* caller
      const { call } = who
      const [company, ...others] = yield* all(call, "company_info")
      assert.deepStrictEqual(others, [])
      assert.deepInclude(company, {
        remote_id: "1",
        tax_number: "94-5550142",
        fiscal_year_end_month: 12,
        fiscal_year_end_day: 31,
        currency: "USD",
        urls: ["https://bay-kitchen-works.example"],
        phone_numbers: [{ number: "(415) 555-0142", type: "MAIN" }]
      })
      const one = of("company_info", "1")
      const before = yield* nativeOf(call, "company_info", "1")
      const place = { street_1: "1 Mission Street", city: "San Francisco", country: "US", zip_code: "94105" }
      const addresses = [
        { ...place, type: "BILLING" },
        { ...place, type: "BILLING", street_1: "PO Box 7" },
        { ...place, street_1: "Registered office" }
      ]
      const changed = recordOf(yield* call("PATCH", one, { body: { tax_number: "94-1", addresses } }))
      assert.strictEqual(changed.tax_number, "94-1")
      const after = yield* nativeOf(call, "company_info", "1")
      for (const [member, street] of [
        ["CompanyAddr", "1 Mission Street"],
        ["CustomerCommunicationAddr", "PO Box 7"],
        ["LegalAddr", "Registered office"]
      ] as const) {
        assert.strictEqual(isDoc(after[member]) ? after[member].Line1 : undefined, street)
      }
      for (const member of ["CompanyName", "Email", "FiscalYearStartMonth", "NameValue"]) {
        assert.deepStrictEqual(after[member], before[member], member)
      }
      const two = { urls: ["https://a.example", "https://b.example"] }
      const strict = yield* call("PATCH", one, { body: two, headers: strictly })
      assert.deepStrictEqual(Object.keys(errorsOf(strict)), ["urls.1"])
      assert.deepStrictEqual(said(yield* call("PATCH", one, { body: two })), ["urls.1 NOT_HELD"])
      const least = { name: "Bay Kitchens", addresses: addresses.slice(0, 1) }
      const replaced = recordOf(yield* call("PUT", one, { body: least }))
      assert.deepInclude(replaced, { name: "Bay Kitchens", legal_name: null, tax_number: null, urls: [] })
      assert.deepStrictEqual(refusalOf(yield* call("GET", of("company_info", "2"))), [404, "COMPANY_INFO_NOT_FOUND"])
      assert.strictEqual((yield* call("POST", of("company_info"), { body: least })).status, 405)
      assert.strictEqual((yield* call("DELETE", one)).status, 405)

      // a fiscal year that begins in March ends on the last of February
      yield* inBooks(who, (put) => put("CompanyInfo", "1", { ...after, FiscalYearStartMonth: "March" }))
      const spring = recordOf(yield* call("GET", one))
      assert.deepStrictEqual([spring.fiscal_year_end_month, spring.fiscal_year_end_day], [2, 28])
      const [statement] = yield* all(call, "income_statement")
      assert.strictEqual(statement?.remote_id, "2026-03-01_2026-11-20")
    })
  )

  it.effect("files are listed with what they hang on, renamed and deleted", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const files = yield* all(call, "attachment")
      for (const file of files) {
        const source = recordOf(yield* call("GET", of("invoice", `urn:uuid:${String(file.related_object_id)}`)))
        assert.strictEqual(file.related_object_type, "invoice")
        assert.strictEqual(
          source.type,
          file.content_type === "application/pdf" ? "ACCOUNTS_RECEIVABLE" : "ACCOUNTS_PAYABLE"
        )
        assert.isAbove(Number(file.file_size), 0)
        assert.match(String(file.file_url), /^https:/)
      }
      const [file] = files
      const one = of("attachment", file?.remote_id)
      const renamed = recordOf(yield* call("PATCH", one, { body: { file_name: "plan, final.pdf" } }))
      assert.strictEqual(renamed.file_name, "plan, final.pdf")
      assert.deepStrictEqual([renamed.related_object_id, renamed.file_size], [file?.related_object_id, file?.file_size])
      const moved = yield* call("PATCH", one, { body: { related_object_id: files[3]?.related_object_id } })
      assert.deepStrictEqual(Object.keys(errorsOf(moved)), ["related_object_id"])
      assert.strictEqual((yield* call("DELETE", one)).status, 200)
      assert.deepStrictEqual(refusalOf(yield* call("GET", one)), [404, "ATTACHMENT_NOT_FOUND"])
      assert.strictEqual((yield* all(call, "attachment")).length, files.length - 1)
    })
  )

  it.effect("accounting periods are fiscal years, closed up to the day that the books are", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const periods = yield* all(call, "accounting_period")
      const [report] = pageOf(yield* call("GET", of("income_statement"))).data
      const last = Number(String(report?.start_period).slice(0, 4))
      const first = Number(String(periods[0]?.start_date).slice(0, 4))
      assert.isAtMost(first, last - 10)
      assert.deepStrictEqual(
        periods.map((one) => [one.start_date, one.end_date, one.status]),
        Array.from({ length: last - first + 1 }, (_, index) => first + index).map((year) => [
          `${year}-01-01`,
          `${year}-12-31`,
          year === first ? "INACTIVE" : "ACTIVE"
        ])
      )
      const one = recordOf(yield* call("GET", of("accounting_period", periods[0]?.id)))
      assert.deepStrictEqual(one, periods[0])
      const none = yield* call("GET", of("accounting_period", "2001-01-01"))
      assert.deepStrictEqual(refusalOf(none), [404, "ACCOUNTING_PERIOD_NOT_FOUND"])
      const made = { name: "Next", start_date: "2030-01-01", end_date: "2030-12-31" }
      const refused = yield* call("POST", of("accounting_period"), { body: made })
      assert.deepStrictEqual(refusalOf(refused), [405, "OPERATION_NOT_SUPPORTED"])
    })
  )

  it.effect.each(["project", "company_info", "attachment"])("%s: what was read can be sent back", (resource) =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const without = (record: Doc) =>
        Object.fromEntries(
          Object.entries(record).filter(([name]) => name !== "modified_at" && name !== "remote_updated_at")
        )
      for (const record of yield* all(call, resource)) {
        for (const method of ["PATCH", "PUT"]) {
          const answer = yield* call(method, of(resource, record.remote_id), { body: record })
          if (method === "PUT" && resource === "project") {
            assert.deepStrictEqual(refusalOf(answer), [405, "OPERATION_NOT_SUPPORTED"])
            continue
          }
          assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
          assert.deepStrictEqual(without(recordOf(answer)), without(record), method)
        }
      }
    })
  )

  it.effect("addresses and phone numbers are those of contacts and of the company", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const contacts = yield* all(call, "contact")
      for (const [resource, inContact] of [
        ["address", "addresses"],
        ["phone_number", "phone_numbers"]
      ] as const) {
        const records = yield* all(call, resource)
        const ofContacts = records.filter(({ contact }) => contact !== null)
        for (const contact of contacts) {
          const mine = ofContacts.filter((one) => one.contact === bare(contact))
          const held = contact[inContact]
          assert.strictEqual(mine.length, Array.isArray(held) ? held.length : 0, String(contact.name))
          for (const [i, one] of mine.entries()) assert.deepInclude(one, Array.isArray(held) ? held[i] : {})
        }
        const own = records.filter(({ contact }) => contact === null)
        assert.strictEqual(own.length, resource === "address" ? 3 : 1)
        for (const id of ["customer:1:billing", "customer:x:main", "vendor", "company:1:main", "x:1:main", "::"]) {
          const answer = yield* call("GET", of(resource, id))
          assert.deepStrictEqual(refusalOf(answer), [404, `${resource.toUpperCase()}_NOT_FOUND`], id)
        }
        assert.strictEqual((yield* call("DELETE", of(resource, records[0]?.remote_id))).status, 405)
      }
      const [address] = yield* all(call, "address")
      assert.match(String(address?.remote_id), /^customer:\d+:(billing|shipping)$/)
      const late = `${of("address")}&created_after=${encodeURIComponent(String(address?.created_at))}&limit=3`
      assert.strictEqual(pageOf(yield* call("GET", late)).data[0]?.id, address?.id)
    })
  )
})
