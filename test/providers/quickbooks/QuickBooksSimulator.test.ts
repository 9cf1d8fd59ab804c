import { HttpClient, HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { simulator } from "../../../src/providers/quickbooks/simulator/QuickBooksSimulator.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { client, connect } from "../../../src/providers/simulation/Simulator.ts"
import { full } from "../../support/Full.ts"

/** Answers, read as a client without types reads them. */
type Json = ReturnType<typeof JSON.parse>

const base = "https://quickbooks.api.intuit.com/v3/company/9130357992221046"
const form = "application/x-www-form-urlencoded"
const basic = `Basic ${Buffer.from("id:secret").toString("base64")}`

/** A connected company at a morning in November. */
const session = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-11-21T18:00:00Z"))
  const http = yield* client(simulator)
  const tokens = yield* connect(simulator, "bay")
  const send = (request: HttpClientRequest.HttpClientRequest, token = tokens.accessToken) =>
    HttpClient.mapRequest(http, HttpClientRequest.setHeader("authorization", `Bearer ${token}`))
      .execute(request)
      .pipe(
        Effect.flatMap((response) =>
          Effect.map(response.text, (text) => ({
            status: response.status,
            headers: response.headers,
            body: text === "" ? {} : JSON.parse(text)
          }))
        )
      )
  const get = (path: string, token?: string) => send(HttpClientRequest.get(`${base}${path}`), token)
  const post = (path: string, body: Json) =>
    send(HttpClientRequest.post(`${base}${path}`).pipe(HttpClientRequest.bodyUnsafeJson(body)))
  const postQuery = (text: string) =>
    send(HttpClientRequest.post(`${base}/query`).pipe(HttpClientRequest.bodyText(text, "application/text")))
  const query = (text: string) => get(`/query?query=${encodeURIComponent(text)}&minorversion=75`)
  /** The rows of a query that must succeed. */
  const rows = (text: string) =>
    Effect.map(query(text), ({ body, status }): ReadonlyArray<Json> => {
      assert.strictEqual(status, 200, JSON.stringify(body))
      return Object.values(body.QueryResponse).find(Array.isArray) ?? []
    })
  const first = (text: string) => Effect.map(rows(`${text} maxresults 1`), ([row]) => row ?? assert.fail(text))
  /** The record that a write must answer. */
  const save = (entity: string, body: Json, operation = "") =>
    Effect.map(post(`/${entity.toLowerCase()}${operation}`, body), (reply): Json => {
      assert.strictEqual(reply.status, 200, JSON.stringify(reply.body))
      return reply.body[entity]
    })
  const token = (path: string, body: string, authorization = basic) =>
    http
      .execute(
        HttpClientRequest.post(`https://oauth.platform.intuit.com${path}`).pipe(
          HttpClientRequest.setHeader("authorization", authorization),
          HttpClientRequest.bodyText(body, form)
        )
      )
      .pipe(
        Effect.flatMap((response) =>
          Effect.map(response.text, (text) => ({
            status: response.status,
            body: text === "" ? {} : JSON.parse(text)
          }))
        )
      )
  return { get, post, postQuery, query, rows, first, save, token, tokens }
})

/** A record without what answers have for Intuit's own use. */
const withoutInternals = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(withoutInternals)
  if (typeof value !== "object" || value === null) return value
  const own = Object.entries(value).filter(([name]) => !/Ex$|^(CustomExtensions|V4IDPseudonym)$/.test(name))
  return Object.fromEntries(own.map(([name, one]) => [name, withoutInternals(one)]))
}

type Session = Effect.Effect.Success<typeof session>

const inCompany = <A, E>(test: (session: Session) => Effect.Effect<A, E, SimulationStore | Faults>) =>
  Effect.flatMap(session, test).pipe(Effect.provide(Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)))

/** The one error of a refused request. */
const fault = (reply: { readonly status: number; readonly body: Json }, code: string): Json => {
  assert.strictEqual(reply.status, 400, JSON.stringify(reply.body))
  assert.strictEqual(reply.body.Fault.type, "ValidationFault")
  assert.match(reply.body.time, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}-0[78]:00$/)
  const [error] = reply.body.Fault.Error
  assert.strictEqual(error.code, code, JSON.stringify(reply.body))
  return error
}

const cents = (amount: number) => Math.round(amount * 100)
const total = (list: ReadonlyArray<Json>, member: string) => list.reduce((sum, one) => sum + cents(one[member] ?? 0), 0)

/** Whether the books add up: what is open is what the control accounts and the parties say. */
const addsUp = ({ rows }: Session) =>
  Effect.gen(function* () {
    const all = (entity: string) => rows(`select * from ${entity} maxresults 1000`)
    const everyone = (entity: string) => rows(`select * from ${entity} where Active in (true, false) maxresults 1000`)
    const accounts = yield* everyone("Account")
    const [invoices, credits, payments] = yield* Effect.all([all("Invoice"), all("CreditMemo"), all("Payment")])
    const [bills, vendorCredits] = yield* Effect.all([all("Bill"), all("VendorCredit")])
    const [customers, vendors] = yield* Effect.all([everyone("Customer"), everyone("Vendor")])
    for (const currency of ["USD", "EUR"]) {
      const among = (list: ReadonlyArray<Json>) => list.filter((one) => one.CurrencyRef.value === currency)
      const control = (type: string) =>
        total(
          among(accounts).filter((one) => one.AccountType === type),
          "CurrentBalance"
        )
      const receivable =
        total(among(invoices), "Balance") -
        total(among(credits), "RemainingCredit") -
        total(among(payments), "UnappliedAmt")
      const payable = total(among(bills), "Balance") - total(among(vendorCredits), "Balance")
      assert.strictEqual(control("Accounts Receivable"), receivable, `receivable in ${currency}`)
      assert.strictEqual(control("Accounts Payable"), -payable, `payable in ${currency}`)
      assert.strictEqual(total(among(customers), "Balance"), receivable, `customers in ${currency}`)
      assert.strictEqual(total(among(vendors), "Balance"), payable, `vendors in ${currency}`)
    }
  })

describe("queries", () => {
  full(it).effect("page through 180 customers with 4 jobs, and 90 vendors", () =>
    inCompany(({ postQuery, query, rows }) =>
      Effect.gen(function* () {
        const page = (yield* query("select * from Customer")).body.QueryResponse
        assert.deepStrictEqual([page.Customer.length, page.startPosition, page.maxResults], [100, 1, 100])
        const rest = (yield* query("select * from Customer startposition 101 maxresults 1000")).body.QueryResponse
        assert.deepStrictEqual([rest.Customer.length, rest.startPosition, rest.maxResults], [81, 101, 81])
        const ids = [...page.Customer, ...rest.Customer].map(({ Id }: Json) => Id)
        assert.strictEqual(new Set(ids).size, 181)
        assert.strictEqual(
          (yield* rows("select * from Customer where Job = false and Active in (true,false) maxresults 1000")).length,
          180
        )
        const count = yield* query("select count(*) from Vendor where Active in (true, false)")
        assert.deepStrictEqual(count.body.QueryResponse, { totalCount: 90 })
        // as node-quickbooks writes it
        const credits = yield* rows("select * from vendorCredit startposition 1 maxresults 1000")
        assert.strictEqual(credits.length, 4)
        const posted = yield* postQuery("select * from Customer")
        assert.deepStrictEqual(posted.body.QueryResponse, page)
      })
    )
  )

  full(it).effect("filter, sort and escape", () =>
    inCompany(({ query, rows, save }) =>
      Effect.gen(function* () {
        yield* save("Customer", { DisplayName: "Amy's \\ Birds" })
        const [amy] = yield* rows("select * from Customer where DisplayName = 'Amy\\'s \\\\ Birds'")
        assert.strictEqual(amy?.DisplayName, "Amy's \\ Birds")
        assert.strictEqual(
          (yield* rows("select * from Customer where DisplayName like 'Amy%' and Active = true")).length,
          1
        )

        const open = yield* rows("select * from Invoice where Balance > '0' orderby Balance desc maxresults 1000")
        const balances = open.map(({ Balance }) => Balance)
        assert.isTrue(open.length > 10 && balances.every((balance) => balance > 0))
        assert.deepStrictEqual(
          balances,
          balances.toSorted((a, b) => b - a)
        )
        const some = open.slice(0, 3).map(({ Id }) => Id)
        const again = yield* rows(`select * from Invoice where Id in (${some.map((id) => `'${id}'`).join(",")})`)
        assert.sameMembers(
          again.map(({ Id }) => Id),
          some
        )

        const recent = yield* rows(
          "select * from Invoice where Metadata.LastUpdatedTime >= '2026-11-10T00:00:00-08:00' ORDER BY MetaData.LastUpdatedTime"
        )
        assert.isTrue(recent.length > 0 && recent.every((one) => one.MetaData.LastUpdatedTime >= "2026-11-10"))
        const none = yield* query("select * from Invoice where DocNumber = 'none'")
        assert.deepStrictEqual(none.body.QueryResponse, {})
      })
    )
  )

  it.effect("refuse what the language does not have", () =>
    inCompany(({ query }) =>
      Effect.gen(function* () {
        for (const text of [
          "",
          "select * from Customer where Active = true or Job = true",
          "select DisplayName from Customer",
          "select * from Customer, Vendor",
          "select * from Customer where DisplayName = 'Amy's'",
          "select * from Customer group by Active"
        ]) {
          fault(yield* query(text), "4000")
        }
        const property = fault(yield* query("select * from Bill where AccountRef = '1'"), "4001")
        assert.strictEqual(property.Detail, "QueryValidationError: Property AccountRef not found for Entity Bill")
        for (const [entity, name] of [
          ["Bill", "DepartmentRef"],
          ["PurchaseOrder", "VendorRef"],
          ["Purchase", "EntityRef"],
          ["Vendor", "PrimaryEmailAddr"],
          ["Account", "AcctNum"]
        ] as const) {
          const held = fault(yield* query(`select * from ${entity} where ${name} = '1'`), "4001")
          assert.strictEqual(held.Detail, `QueryValidationError: property '${name}' is not queryable`)
        }
        fault(yield* query("select * from Customers"), "4001")
        for (const text of [
          "select * from Customer maxresults 1001",
          "select * from Customer maxresults 0",
          "select * from Customer where Active = 'perhaps'",
          "select * from Invoice where TxnDate > 'yesterday'",
          "select * from Invoice where TotalAmt > 'much'",
          "select * from Invoice where MetaData.CreateTime > 'now'"
        ]) {
          fault(yield* query(text), "4001")
        }
      })
    )
  )
})

describe("name lists", () => {
  it.effect("answer a created customer whole", () =>
    inCompany(({ get, save }) =>
      Effect.gen(function* () {
        const made = yield* save("Customer", { GivenName: "Ada", FamilyName: "Byron", BillAddr: { City: "Oakland" } })
        assert.include(made, {
          DisplayName: "Ada Byron",
          FullyQualifiedName: "Ada Byron",
          PrintOnCheckName: "Ada Byron",
          SyncToken: "0",
          domain: "QBO",
          sparse: false,
          Active: true,
          Balance: 0
        })
        assert.deepStrictEqual(made.CurrencyRef, { value: "USD", name: "United States Dollar" })
        assert.strictEqual(made.MetaData.CreateTime, "2026-11-21T10:00:00-08:00")
        const read = yield* get(`/customer/${made.Id}`)
        assert.deepStrictEqual(read.body, { Customer: made, time: "2026-11-21T10:00:00-08:00" })
        assert.isString(read.headers.intuit_tid)
      })
    )
  )

  it.effect("refuse wrong bodies, each with its own fault", () =>
    inCompany(({ first, get, post, rows }) =>
      Effect.gen(function* () {
        const vendor = yield* first("select * from Vendor")
        const unknown = fault(yield* post("/customer", { DisplayName: "A", Colour: "red" }), "2010")
        assert.strictEqual(unknown.Message, "Request has invalid or unsupported property")
        assert.include(unknown.Detail, 'Unrecognized field "Colour" (class com.intuit.schema.finance.v3.Customer)')
        fault(yield* post("/customer", { DisplayName: "A", BillAddr: { Town: "X" } }), "2010")
        fault(yield* post("/customer", { DisplayName: "A", Taxable: "perhaps" }), "2010")
        const name = fault(yield* post("/customer", { DisplayName: vendor.DisplayName.toUpperCase() }), "6240")
        assert.include(name.Detail, `Id=${vendor.Id}`)
        fault(yield* post("/customer", {}), "6080")
        const long = fault(yield* post("/customer", { DisplayName: "A", Title: "x".repeat(17) }), "2050")
        assert.deepInclude(long, {
          Detail:
            "String length specified does not match the supported length. Min:0 Max:16 supported. Supplied length:17",
          element: "Title"
        })
        fault(yield* post("/customer", { DisplayName: "A", SalesTermRef: { value: "999999" } }), "2500")
        fault(yield* post("/customer", { DisplayName: "A", PreferredDeliveryMethod: "Pigeon" }), "2170")
        assert.deepInclude(fault(yield* post("/term", { DueDays: 3 }), "2020"), { element: "Name" })
        fault(yield* post("/item", { Name: "Nowhere" }), "2020")
        fault(yield* post("/account", { Name: "Nothing" }), "6010")
        const odd = { Name: "Odd", AccountType: "Bank", AccountSubType: "Travel" }
        assert.include(fault(yield* post("/account", odd), "6000").Detail, "Travel")
        const bank = yield* first("select * from Account where AccountType = 'Bank'")
        const below = { Name: "Below", AccountType: "Expense", ParentRef: { value: bank.Id } }
        assert.include(fault(yield* post("/account", below), "6000").Detail, "same account type")
        for (const detail of ["UndepositedFunds", "AccountsReceivable", "RetainedEarnings"]) {
          const system = yield* first(`select * from Account where AccountSubType = '${detail}'`)
          fault(yield* post("/account", { ...system, Active: false }), "6000")
          fault(yield* post("/account", { ...system, AccountType: "Bank", AccountSubType: "Checking" }), "6000")
        }
        // one more of the kind is the user's own
        const own = yield* post("/account", { Name: "Own", AccountType: "Equity", AccountSubType: "RetainedEarnings" })
        assert.isFalse((yield* post("/account", { ...own.body.Account, Active: false })).body.Account.Active)
        fault(yield* get("/customer/999999"), "610")
        fault(yield* get("/customers/1"), "500")
        fault(yield* post("/customer?operation=delete", { Id: vendor.Id, SyncToken: "0" }), "500")
        assert.deepStrictEqual(yield* rows("select * from Customer where DisplayName = 'A'"), [])
      })
    )
  )

  it.effect("update in full or in part, by the newest SyncToken only", () =>
    inCompany(({ post, save }) =>
      Effect.gen(function* () {
        const made = yield* save("Vendor", {
          DisplayName: "Stone & Sons",
          CompanyName: "Stone",
          AcctNum: "77",
          PrimaryPhone: { FreeFormNumber: "1" }
        })
        const { Id } = made
        yield* TestClock.adjust("1 minute")
        const sparse = yield* save("Vendor", {
          Id,
          SyncToken: "0",
          sparse: true,
          CompanyName: "Stone Ltd",
          AcctNum: ""
        })
        assert.include(sparse, { CompanyName: "Stone Ltd", SyncToken: "1", DisplayName: "Stone & Sons" })
        assert.notProperty(sparse, "AcctNum")
        assert.deepStrictEqual(sparse.PrimaryPhone, { FreeFormNumber: "1" })
        assert.deepStrictEqual(sparse.MetaData, {
          CreateTime: "2026-11-21T10:00:00-08:00",
          LastUpdatedTime: "2026-11-21T10:01:00-08:00"
        })
        const full = yield* save("Vendor", { Id, SyncToken: "1", DisplayName: "Stones" }, "?operation=update")
        assert.include(full, { DisplayName: "Stones", SyncToken: "2", Active: true, Balance: 0 })
        assert.notProperty(full, "CompanyName")
        assert.notProperty(full, "PrimaryPhone")
        for (const body of [{ Id, SyncToken: "1" }, { Id }]) {
          const error = fault(yield* post("/vendor", { ...body, sparse: true, DisplayName: "Late" }), "5010")
          assert.strictEqual(error.Message, "Stale Object Error")
        }
        fault(yield* post("/vendor", { Id: "999999", SyncToken: "0", DisplayName: "Nobody" }), "610")
        fault(yield* post("/vendor?operation=update", { DisplayName: "Nobody" }), "2020")
      })
    )
  )

  it.effect("refuse members for Intuit's own use", () =>
    inCompany(({ first, post }) =>
      Effect.gen(function* () {
        for (const [entity, member] of [
          ["Customer", "V4IDPseudonym"],
          ["Purchase", "PurchaseEx"],
          ["Payment", "LineEx"],
          ["Invoice", "CustomExtensions"]
        ] as const) {
          const { Detail } = fault(
            yield* post(`/${entity.toLowerCase()}`, yield* first(`select * from ${entity}`)),
            "2010"
          )
          assert.include(Detail, member === "PurchaseEx" ? "CustomExtensions" : member)
        }
      })
    )
  )

  it.effect("take back every record as it was read, apart from what is internal", () =>
    inCompany(({ first, get, save }) =>
      Effect.gen(function* () {
        const lists = [
          "Customer",
          "Vendor",
          "Employee",
          "Account",
          "Item",
          "Term",
          "Class",
          "Department",
          "PaymentMethod"
        ]
        const documents = ["Invoice", "Bill", "Payment", "BillPayment", "CreditMemo", "VendorCredit"]
        for (const entity of [...lists, ...documents, "CompanyCurrency", "CompanyInfo", "Preferences"]) {
          const { MetaData, SyncToken, ...before } = yield* first(`select * from ${entity}`)
          const body = { ...withoutInternals(before), MetaData, SyncToken }
          const { MetaData: _, SyncToken: token, ...after } = yield* save(entity, body)
          assert.deepStrictEqual(after, before, entity)
          assert.strictEqual(token, "1", entity)
        }
        assert.strictEqual((yield* get("/companyinfo/9130357992221046")).body.CompanyInfo.Country, "US")
        assert.isTrue((yield* get("/preferences")).body.Preferences.CurrencyPrefs.MultiCurrencyEnabled)
      })
    )
  )
})

/** A customer in dollars and items to sell to them. */
const counter = ({ first, save }: Session) =>
  Effect.gen(function* () {
    const customer = yield* save("Customer", { DisplayName: "Counter", BillAddr: { City: "Oakland" } })
    const service = yield* first("select * from Item where Type = 'Service'")
    const good = yield* first("select * from Item where Type = 'Inventory'")
    const term = yield* first("select * from Term where Name = 'Net 30'")
    const line = (item: Json, Amount: number, more: Json = {}) => ({
      Amount,
      DetailType: "SalesItemLineDetail",
      SalesItemLineDetail: { ItemRef: { value: item.Id }, ...more }
    })
    const sell = (Amount: number) =>
      save("Invoice", { CustomerRef: { value: customer.Id }, Line: [line(service, Amount)] })
    const pay = (
      TotalAmt: number,
      applied: ReadonlyArray<readonly [document: Json, amount: number, type?: string]>
    ) => ({
      CustomerRef: { value: customer.Id },
      TotalAmt,
      Line: applied.map(([{ Id }, Amount, TxnType = "Invoice"]) => ({ Amount, LinkedTxn: [{ TxnId: Id, TxnType }] }))
    })
    return { customer, service, good, term, line, sell, pay }
  })

describe("sales", () => {
  it.effect("are worked out to the cent", () =>
    inCompany((session) =>
      Effect.gen(function* () {
        const { customer, good, line, service, term } = yield* counter(session)
        const tax = yield* session.first("select * from TaxCode where Name = 'San Francisco, CA'")
        const stock = good.QtyOnHand
        const made = yield* session.save("Invoice", {
          CustomerRef: { value: customer.Id, name: "somebody" },
          TxnDate: "2026-11-02",
          SalesTermRef: { value: term.Id },
          TxnTaxDetail: { TxnTaxCodeRef: { value: tax.Id } },
          Line: [
            line(service, 100.1),
            line(good, 66.66, { UnitPrice: 22.22, Qty: 3, TaxCodeRef: { value: "TAX" } }),
            { Description: "Thank you", DetailType: "DescriptionOnly", DescriptionLineDetail: {} },
            { DetailType: "DiscountLineDetail", DiscountLineDetail: { PercentBased: true, DiscountPercent: 12.5 } }
          ]
        })
        // 166.76 less 20.85 (20.845), and 7.25 % (4.83285) and 1.375 % (0.916575) of 66.66
        assert.include(made, { TotalAmt: 151.66, Balance: 151.66, HomeBalance: 151.66, DueDate: "2026-12-02" })
        assert.strictEqual(made.TxnTaxDetail.TotalTax, 5.75)
        assert.deepStrictEqual(
          made.TxnTaxDetail.TaxLine.map(({ Amount, TaxLineDetail }: Json) => [Amount, TaxLineDetail.TaxPercent]),
          [
            [4.83, 7.25],
            [0.92, 1.375]
          ]
        )
        assert.deepStrictEqual(
          made.Line.map(({ Amount, DetailType, Id, LineNum }: Json) => [Id, LineNum, Amount, DetailType]),
          [
            ["1", 1, 100.1, "SalesItemLineDetail"],
            ["2", 2, 66.66, "SalesItemLineDetail"],
            ["3", 3, undefined, "DescriptionOnly"],
            [undefined, undefined, 166.76, "SubTotalLineDetail"],
            [undefined, undefined, 20.85, "DiscountLineDetail"]
          ]
        )
        assert.deepStrictEqual(made.Line[1].SalesItemLineDetail.ItemAccountRef, good.IncomeAccountRef)
        assert.deepStrictEqual(made.CustomerRef, { value: customer.Id, name: "Counter" })
        assert.deepStrictEqual(made.BillAddr, { City: "Oakland" })
        assert.strictEqual(made.DocNumber, "1192")
        assert.strictEqual((yield* session.get(`/item/${good.Id}`)).body.Item.QtyOnHand, stock - 3)
        assert.strictEqual((yield* session.get(`/customer/${customer.Id}`)).body.Customer.Balance, 151.66)
        yield* addsUp(session)
      })
    )
  )

  it.effect("keep the lines a sparse update does not name, and replace them when it does", () =>
    inCompany((session) =>
      Effect.gen(function* () {
        const { line, sell, service } = yield* counter(session)
        const { Id } = yield* sell(80)
        const noted = yield* session.save("Invoice", { Id, SyncToken: "0", sparse: true, PrivateNote: "call first" })
        assert.deepInclude(noted, { PrivateNote: "call first", TotalAmt: 80 })
        const Line = [line(service, 30), { ...line(service, 50), Id: "1" }]
        const changed = yield* session.save("Invoice", { Id, SyncToken: "1", sparse: true, Line })
        assert.include(changed, { TotalAmt: 80, PrivateNote: "call first" })
        assert.deepStrictEqual(
          changed.Line.map((one: Json) => one.Id),
          ["2", "1", undefined]
        )
      })
    )
  )

  it.effect("refuse lines that do not add up or lead nowhere", () =>
    inCompany((session) =>
      Effect.gen(function* () {
        const { customer, line, service } = yield* counter(session)
        const CustomerRef = { value: customer.Id }
        const refused = (Line: ReadonlyArray<Json>, code: string) =>
          Effect.map(session.post("/invoice", { CustomerRef, Line }), (reply) => fault(reply, code))
        yield* refused([line(service, 10, { UnitPrice: 4, Qty: 3 })], "6070")
        yield* refused([line(service, 10, { TaxCodeRef: { value: "2" } })], "2500")
        const code = yield* session.first("select * from TaxCode where Name = 'California'")
        yield* refused([line(service, 10, { TaxCodeRef: { value: code.Id } })], "6100")
        const lost = yield* refused([line({ Id: "999999" }, 10)], "2500")
        assert.strictEqual(lost.element, "Line.SalesItemLineDetail.ItemRef")
        yield* refused(
          [{ DetailType: "SalesItemLineDetail", SalesItemLineDetail: { ItemRef: { value: service.Id } } }],
          "2020"
        )
        yield* refused([line(service, 10), { DetailType: "DiscountLineDetail", DiscountLineDetail: {} }], "6090")
        yield* refused([], "2020")
        const project = yield* refused([{ ...line(service, 10), ProjectRef: CustomerRef }], "2500")
        assert.strictEqual(project.element, "Line.ProjectRef")
        fault(yield* session.post("/invoice", { CustomerRef, ExchangeRate: 2, Line: [line(service, 10)] }), "6000")
        fault(yield* session.post("/invoice", { CustomerRef }), "2020")
        fault(
          yield* session.post("/invoice", { CustomerRef, CurrencyRef: { value: "EUR" }, Line: [line(service, 10)] }),
          "6000"
        )
        yield* session.save("Item", { Id: service.Id, SyncToken: "0", sparse: true, Active: false })
        const inactive = yield* refused([line(service, 10)], "2500")
        assert.include(inactive.Detail, "has been made inactive")
        assert.deepStrictEqual(yield* session.rows(`select * from Invoice where CustomerRef = '${customer.Id}'`), [])
      })
    )
  )
})

describe("payments", () => {
  it.effect("lower balances and link both ways, and give back what they took", () =>
    inCompany((session) =>
      Effect.gen(function* () {
        const { customer, pay, sell } = yield* counter(session)
        const [one, two] = [yield* sell(100), yield* sell(50)]
        const invoice = (id: string) => Effect.map(session.get(`/invoice/${id}`), ({ body }) => body.Invoice)
        const payment = yield* session.save(
          "Payment",
          pay(130, [
            [one, 100],
            [two, 20]
          ])
        )
        assert.include(payment, { UnappliedAmt: 10, TotalAmt: 130 })
        assert.strictEqual(payment.DepositToAccountRef.name, "Undeposited Funds")
        const paid = yield* invoice(one.Id)
        assert.include(paid, { Balance: 0, TotalAmt: 100, SyncToken: "0" })
        assert.deepStrictEqual(paid.LinkedTxn, [{ TxnId: payment.Id, TxnType: "Payment" }])
        assert.strictEqual((yield* invoice(two.Id)).Balance, 30)
        yield* addsUp(session)

        fault(yield* session.post("/payment", pay(40, [[two, 31]])), "6000")
        fault(yield* session.post("/payment", pay(5, [[two, 6]])), "6000")
        const twice = pay(40, [
          [two, 20],
          [two, 20]
        ])
        fault(yield* session.post("/payment", twice), "6000")
        fault(yield* session.post("/payment", pay(5, [[{ Id: "999999" }, 5]])), "610")

        const { Line: _, ...rest } = payment
        const moved = yield* session.save("Payment", { ...rest, Line: pay(130, [[two, 50]]).Line })
        assert.strictEqual(moved.UnappliedAmt, 80)
        assert.deepStrictEqual([(yield* invoice(one.Id)).Balance, (yield* invoice(two.Id)).Balance], [100, 0])
        yield* session.save("Payment", { Id: payment.Id, SyncToken: "1" }, "?operation=delete")
        assert.deepInclude(yield* invoice(two.Id), { Balance: 50, LinkedTxn: [] })
        assert.strictEqual((yield* session.get(`/customer/${customer.Id}`)).body.Customer.Balance, 150)
        fault(yield* session.get(`/payment/${payment.Id}`), "610")
        yield* addsUp(session)
      })
    )
  )

  it.effect("set credits against invoices", () =>
    inCompany((session) =>
      Effect.gen(function* () {
        const { customer, line, pay, sell, service } = yield* counter(session)
        const invoice = yield* sell(100)
        const credit = yield* session.save("CreditMemo", {
          CustomerRef: { value: customer.Id },
          Line: [line(service, 30)]
        })
        assert.strictEqual(credit.RemainingCredit, 30)
        yield* session.save(
          "Payment",
          pay(0, [
            [invoice, 25],
            [credit, 25, "CreditMemo"]
          ])
        )
        assert.strictEqual((yield* session.get(`/invoice/${invoice.Id}`)).body.Invoice.Balance, 75)
        assert.strictEqual((yield* session.get(`/creditmemo/${credit.Id}`)).body.CreditMemo.RemainingCredit, 5)
        yield* addsUp(session)
      })
    )
  )

  it.effect("are released by what is made void or deleted", () =>
    inCompany((session) =>
      Effect.gen(function* () {
        const { pay, sell } = yield* counter(session)
        const invoice = yield* sell(100)
        const payment = yield* session.save("Payment", pay(60, [[invoice, 60]]))
        fault(yield* session.post("/invoice?operation=void", { Id: invoice.Id, SyncToken: "7" }), "5010")
        const gone = yield* session.save("Invoice", invoice, "?operation=void")
        assert.deepInclude(gone, { TotalAmt: 0, Balance: 0, PrivateNote: "Voided", SyncToken: "1", LinkedTxn: [] })
        assert.deepStrictEqual(
          gone.Line.map(({ Amount }: Json) => Amount),
          [0, 0]
        )
        const released = (yield* session.get(`/payment/${payment.Id}`)).body.Payment
        assert.deepInclude(released, { UnappliedAmt: 60, Line: [] })
        const removed = yield* session.post("/invoice?operation=delete", { Id: invoice.Id, SyncToken: "1" })
        assert.deepStrictEqual(removed.body.Invoice, { status: "Deleted", domain: "QBO", Id: invoice.Id })
        fault(yield* session.post("/bill?operation=void", { Id: "1", SyncToken: "0" }), "500")
        yield* addsUp(session)
      })
    )
  )

  it.effect("pay bills by check or card", () =>
    inCompany((session) =>
      Effect.gen(function* () {
        const { good } = yield* counter(session)
        const vendor = yield* session.save("Vendor", { DisplayName: "Mill" })
        const expense = yield* session.first("select * from Account where Name = 'Advertising'")
        const bank = yield* session.first("select * from Account where Name = 'Savings'")
        const VendorRef = { value: vendor.Id }
        const bill = yield* session.save("Bill", {
          VendorRef,
          Line: [
            {
              Amount: 12.5,
              DetailType: "AccountBasedExpenseLineDetail",
              AccountBasedExpenseLineDetail: { AccountRef: { value: expense.Id } }
            },
            {
              Amount: 20,
              DetailType: "ItemBasedExpenseLineDetail",
              ItemBasedExpenseLineDetail: { ItemRef: { value: good.Id }, UnitPrice: 5, Qty: 4 }
            }
          ]
        })
        assert.include(bill, { TotalAmt: 32.5, Balance: 32.5, DueDate: "2026-11-21" })
        assert.strictEqual(bill.Line[0].AccountBasedExpenseLineDetail.AccountRef.name, "Advertising")
        const pay = {
          VendorRef,
          PayType: "Check",
          CheckPayment: { BankAccountRef: { value: bank.Id } },
          TotalAmt: 30,
          Line: [{ Amount: 30, LinkedTxn: [{ TxnId: bill.Id, TxnType: "Bill" }] }]
        }
        const wrong = { ...pay, CheckPayment: { BankAccountRef: { value: expense.Id } } }
        assert.strictEqual(
          fault(yield* session.post("/billpayment", wrong), "2500").element,
          "CheckPayment.BankAccountRef"
        )
        const paid = yield* session.save("BillPayment", pay)
        const after = (yield* session.get(`/bill/${bill.Id}`)).body.Bill
        assert.deepInclude(after, { Balance: 2.5, LinkedTxn: [{ TxnId: paid.Id, TxnType: "BillPaymentCheck" }] })
        assert.strictEqual(
          (yield* session.get(`/account/${bank.Id}`)).body.Account.CurrentBalance,
          bank.CurrentBalance - 30
        )
        assert.strictEqual((yield* session.get(`/vendor/${vendor.Id}`)).body.Vendor.Balance, 2.5)
        assert.strictEqual((yield* session.get(`/item/${good.Id}`)).body.Item.QtyOnHand, good.QtyOnHand + 4)
        yield* addsUp(session)
      })
    )
  )
})

describe("the sample company", () => {
  it.effect("is a year of business that adds up", () =>
    inCompany((session) =>
      Effect.gen(function* () {
        yield* addsUp(session)
        const invoices = yield* session.rows("select * from Invoice maxresults 1000")
        assert.strictEqual(invoices.length, 166)
        const isVoid = (one: Json) => one.TotalAmt === 0 && /^Voided(?: - |$)/.test(one.PrivateNote)
        const counts = [
          invoices.filter(isVoid),
          invoices.filter((one) => one.TotalAmt > 0 && one.Balance === 0),
          invoices.filter((one) => one.Balance > 0 && one.Balance < one.TotalAmt),
          invoices.filter((one) => one.TotalAmt > 0 && one.Balance === one.TotalAmt),
          invoices.filter((one) => one.Balance > 0 && one.DueDate < "2026-11-21"),
          invoices.filter((one) => one.CurrencyRef.value === "EUR"),
          invoices.filter((one) => one.TxnTaxDetail.TotalTax > 0),
          invoices.filter((one) => one.Line.some(({ DetailType }: Json) => DetailType === "DiscountLineDetail"))
        ].map(({ length }) => length)
        assert.strictEqual(counts[0], 4)
        assert.isTrue(
          counts.every((count) => count >= 4),
          String(counts)
        )
        for (const one of invoices) {
          const of = (type: string) =>
            total(
              one.Line.filter((line: Json) => line.DetailType === type),
              "Amount"
            )
          const lines = of("SalesItemLineDetail") + of("GroupLineDetail")
          const sum = lines - of("DiscountLineDetail") + cents(one.TxnTaxDetail.TotalTax)
          assert.strictEqual(sum, cents(one.TotalAmt), one.DocNumber)
          assert.isTrue(one.TxnDate <= "2026-11-21" && one.TxnDate >= "2025-11-20")
        }
        assert.strictEqual((yield* session.rows("select * from Bill")).length, 94)
        assert.isAtLeast((yield* session.rows("select * from Account where SubAccount = true")).length, 8)
        const stock = yield* session.rows("select * from Item where Type = 'Inventory'")
        assert.isTrue(stock.every(({ QtyOnHand }) => QtyOnHand > 0))
      })
    )
  )
})

describe("entries and cash", () => {
  it.effect("balance, and name who owes", () =>
    inCompany((session) =>
      Effect.gen(function* () {
        const cost = yield* session.first("select * from Account where AccountType = 'Expense'")
        const bank = yield* session.first("select * from Account where AccountType = 'Bank'")
        const receivable = yield* session.first("select * from Account where AccountType = 'Accounts Receivable'")
        const customer = yield* session.save("Customer", { DisplayName: "Debtor" })
        const side = (PostingType: string, account: Json, Amount: number, more: Json = {}): Json => ({
          Amount,
          DetailType: "JournalEntryLineDetail",
          JournalEntryLineDetail: { PostingType, AccountRef: { value: account.Id }, ...more }
        })
        const entry = (...Line: ReadonlyArray<Json>) => session.post("/journalentry", { Line })
        fault(yield* entry(side("Debit", cost, 10), side("Credit", bank, 9.99)), "6000")
        fault(yield* entry(side("Debit", cost, 0)), "6000")
        const nameless = fault(yield* entry(side("Debit", receivable, 5), side("Credit", bank, 5)), "6000")
        assert.include(nameless.Detail, "you must choose a customer in the Name field")
        const Entity = { Type: "Customer", EntityRef: { value: customer.Id } }
        const made = (yield* entry(side("Debit", receivable, 5, { Entity }), side("Credit", bank, 5))).body.JournalEntry
        assert.deepStrictEqual(made.Line[0].JournalEntryLineDetail.Entity, {
          Type: "Customer",
          EntityRef: { value: customer.Id, name: "Debtor" }
        })
        assert.deepStrictEqual([made.TotalAmt, made.Line.length], [5, 2])
        assert.strictEqual((yield* session.get(`/customer/${customer.Id}`)).body.Customer.Balance, 5)
        const held = (yield* session.get(`/account/${bank.Id}`)).body.Account.CurrentBalance
        assert.strictEqual(cents(held), cents(bank.CurrentBalance) - 500)
        yield* session.save("JournalEntry", { Id: made.Id, SyncToken: "0" }, "?operation=delete")
        assert.strictEqual((yield* session.get(`/customer/${customer.Id}`)).body.Customer.Balance, 0)
      })
    )
  )

  it.effect("go to the bank once, and are made void by an update", () =>
    inCompany((session) =>
      Effect.gen(function* () {
        const [bank, other] = yield* session.rows("select * from Account where AccountType = 'Bank'")
        const item = yield* session.first("select * from Item where Type = 'Service'")
        const SalesItemLineDetail = { ItemRef: { value: item.Id } }
        const receipt = yield* session.save("SalesReceipt", {
          Line: [{ Amount: 40, DetailType: "SalesItemLineDetail", SalesItemLineDetail }]
        })
        assert.deepStrictEqual(
          [receipt.TotalAmt, receipt.Balance, receipt.DepositToAccountRef.name],
          [40, 0, "Undeposited Funds"]
        )
        const deposit = {
          DepositToAccountRef: { value: bank?.Id },
          Line: [{ Amount: 40, LinkedTxn: [{ TxnId: receipt.Id, TxnType: "SalesReceipt" }] }]
        }
        const made = yield* session.save("Deposit", deposit)
        assert.strictEqual(made.TotalAmt, 40)
        fault(yield* session.post("/deposit", deposit), "6000")
        const linked = (yield* session.get(`/salesreceipt/${receipt.Id}`)).body.SalesReceipt
        assert.deepStrictEqual(linked.LinkedTxn, [{ TxnId: made.Id, TxnType: "Deposit" }])
        fault(yield* session.post("/salesreceipt?operation=delete", { Id: receipt.Id, SyncToken: "0" }), "6540")
        const more = { ...linked, Line: [{ Amount: 41, DetailType: "SalesItemLineDetail", SalesItemLineDetail }] }
        fault(yield* session.post("/salesreceipt", more), "6540")
        yield* session.save("Deposit", { Id: made.Id, SyncToken: "0" }, "?operation=delete")

        fault(yield* session.post("/salesreceipt?operation=void", { Id: receipt.Id, SyncToken: "0" }), "500")
        fault(yield* session.post("/salesreceipt?include=void", { Id: receipt.Id, SyncToken: "0" }), "2010")
        const undone = yield* session.save(
          "SalesReceipt",
          { Id: receipt.Id, SyncToken: "0", sparse: true },
          "?operation=update&include=void"
        )
        assert.deepStrictEqual([undone.TotalAmt, undone.PrivateNote], [0, "Voided"])

        const ends = { FromAccountRef: { value: bank?.Id }, Amount: 5 }
        fault(yield* session.post("/transfer", { ...ends, ToAccountRef: { value: bank?.Id } }), "6000")
        yield* session.save("Transfer", { ...ends, ToAccountRef: { value: other?.Id } })
        const cost = yield* session.first("select * from Account where AccountType = 'Expense'")
        const purchase = {
          PaymentType: "CreditCard",
          AccountRef: { value: bank?.Id },
          Line: [
            {
              Amount: 5,
              DetailType: "AccountBasedExpenseLineDetail",
              AccountBasedExpenseLineDetail: { AccountRef: { value: cost.Id } }
            }
          ]
        }
        fault(yield* session.post("/purchase", purchase), "2500")
        const paid = yield* session.save("Purchase", { ...purchase, PaymentType: "Check" })
        assert.deepStrictEqual([paid.TotalAmt, paid.Credit], [5, false])
      })
    )
  )
})

describe("the protocol", () => {
  it.effect("answers a repeated requestid as before", () =>
    inCompany(({ get, post, rows }) =>
      Effect.gen(function* () {
        const one = yield* post("/customer?requestid=r-1", { DisplayName: "Once" })
        const two = yield* post("/customer?requestid=r-1", { DisplayName: "Once" })
        assert.deepStrictEqual([two.status, two.body], [200, one.body])
        assert.strictEqual((yield* rows("select * from Customer where DisplayName = 'Once'")).length, 1)
        fault(yield* post("/customer?requestid=r-2", { DisplayName: "Once" }), "6240")
        assert.include(fault(yield* get("/customer/1?expand=all"), "2010").Detail, "expand")
        fault(yield* get("/query?query=select%20*%20from%20Term&format=xml"), "500")
        fault(yield* post("/customer?operation=archive", { DisplayName: "X" }), "500")
        assert.strictEqual((yield* get("/nothing/at/all")).status, 400)
      })
    )
  )

  it.effect("does a batch item by item", () =>
    inCompany(({ post, rows }) =>
      Effect.gen(function* () {
        const items = [
          { bId: "a", operation: "create", Customer: { DisplayName: "Batch" } },
          { bId: "b", operation: "create", Customer: { DisplayName: "Batch" } },
          { bId: "c", Query: "select count(*) from Customer where DisplayName = 'Batch'" },
          { bId: "d", operation: "create", Customers: { DisplayName: "X" } }
        ]
        const { body } = yield* post("/batch", { BatchItemRequest: items })
        const [a, b, c, d] = body.BatchItemResponse
        assert.deepInclude(a, { bId: "a" })
        assert.strictEqual(a.Customer.DisplayName, "Batch")
        assert.deepStrictEqual([b.bId, b.Fault.type, b.Fault.Error[0].code], ["b", "ValidationFault", "6240"])
        // no item sees what those before it did
        assert.deepStrictEqual(c, { bId: "c", QueryResponse: { totalCount: 0 } })
        assert.strictEqual(d.Fault.Error[0].code, "500")
        const many = Array.from({ length: 31 }, (_, index) => ({ bId: String(index), Query: "select * from Term" }))
        fault(yield* post("/batch", { BatchItemRequest: many }), "6000")
        assert.strictEqual((yield* rows("select * from Customer where DisplayName = 'Batch'")).length, 1)
      })
    )
  )

  it.effect("tells what changed and what was deleted", () =>
    inCompany((session) =>
      Effect.gen(function* () {
        const { customer, sell } = yield* counter(session)
        const [kept, gone] = [yield* sell(5), yield* sell(6)]
        yield* session.save("Invoice", gone, "?operation=delete")
        const { body } = yield* session.get("/cdc?entities=Invoice,Customer,Term&changedSince=2026-11-21T18:00:00Z")
        const [invoices, customers, terms] = body.CDCResponse[0].QueryResponse
        assert.deepStrictEqual(
          invoices.Invoice.map(({ Id, status }: Json) => [Id, status]),
          [
            [kept.Id, undefined],
            [gone.Id, "Deleted"]
          ]
        )
        assert.deepStrictEqual(
          customers.Customer.map(({ Id }: Json) => Id),
          [customer.Id]
        )
        assert.deepStrictEqual(terms, {})
        fault(yield* session.get("/cdc?entities=Invoice&changedSince=2026-10-01T00:00:00Z"), "6000")
        fault(yield* session.get("/cdc?entities=TaxCode&changedSince=2026-11-20T00:00:00Z"), "6000")
      })
    )
  )

  it.effect("renews tokens: a replaced refresh token is good for a day more", () =>
    inCompany(({ get, token, tokens }) =>
      Effect.gen(function* () {
        const ask = (refreshToken: string, authorization?: string) =>
          token("/oauth2/v1/tokens/bearer", `grant_type=refresh_token&refresh_token=${refreshToken}`, authorization)
        yield* TestClock.adjust("61 minutes")
        const expired = yield* get("/customer/1")
        assert.strictEqual(expired.status, 401)
        assert.deepInclude(expired.body.fault.error[0], {
          message: "message=AuthenticationFailed; errorCode=003200; statusCode=401",
          code: "3200"
        })
        assert.isString(expired.headers.intuit_tid)
        const { body, status } = yield* ask(tokens.refreshToken)
        assert.strictEqual(status, 200)
        assert.include(body, { token_type: "bearer", expires_in: 3600, x_refresh_token_expires_in: 8726400 })
        assert.notStrictEqual(body.refresh_token, tokens.refreshToken)
        assert.strictEqual((yield* get("/preferences", body.access_token)).status, 200)
        yield* TestClock.adjust("23 hours")
        assert.strictEqual((yield* ask(tokens.refreshToken)).status, 200)
        yield* TestClock.adjust("2 hours")
        assert.deepStrictEqual(yield* ask(tokens.refreshToken), { status: 400, body: { error: "invalid_grant" } })
        assert.strictEqual((yield* ask(body.refresh_token)).status, 200)
        assert.deepStrictEqual(yield* ask(body.refresh_token, "Bearer x"), {
          status: 401,
          body: { error: "invalid_client" }
        })
        assert.strictEqual((yield* token("/v2/oauth2/tokens/revoke", `token=${body.refresh_token}`)).status, 200)
        assert.strictEqual((yield* ask(body.refresh_token)).status, 400)
      })
    )
  )

  it.effect("misbehaves in Intuit's words", () =>
    inCompany(({ get }) =>
      Effect.gen(function* () {
        const faults = yield* Faults
        yield* faults.add({ provider: "quickbooks", does: { kind: "limit", retryAfter: 60 } })
        const limited = yield* get("/preferences")
        assert.strictEqual(limited.status, 429)
        assert.deepInclude(limited.body.fault.error[0], {
          message: "message=ThrottleExceeded; errorCode=003001; statusCode=429",
          code: "3001"
        })
        yield* faults.add({ provider: "quickbooks", does: { kind: "status", status: 403 } })
        assert.strictEqual((yield* get("/preferences")).body.fault.error[0].code, "3100")
        yield* faults.add({ provider: "quickbooks", does: { kind: "status", status: 500 } })
        assert.strictEqual((yield* get("/preferences")).body.Fault.type, "SystemFault")
        assert.strictEqual((yield* get("/preferences")).status, 200)
      })
    )
  )
})
