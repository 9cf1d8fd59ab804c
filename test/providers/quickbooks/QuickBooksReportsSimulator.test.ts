import { HttpClient, HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { transactionsIn } from "../../../src/providers/quickbooks/LedgerReport.ts"
import { simulator } from "../../../src/providers/quickbooks/simulator/QuickBooksSimulator.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { client, connect } from "../../../src/providers/simulation/Simulator.ts"

/** Answers, read as a client without types reads them. */
type Json = ReturnType<typeof JSON.parse>

const base = "https://quickbooks.api.intuit.com/v3/company/9130357992221046"

/** A connected company at a morning in November. */
const session = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-11-21T18:00:00Z"))
  const http = yield* client(simulator)
  const { accessToken } = yield* connect(simulator, "bay")
  const send = (request: HttpClientRequest.HttpClientRequest) =>
    HttpClient.mapRequest(http, HttpClientRequest.setHeader("authorization", `Bearer ${accessToken}`))
      .execute(request)
      .pipe(
        Effect.flatMap((response) =>
          Effect.map(response.text, (text): { status: number; body: Json } => ({
            status: response.status,
            body: JSON.parse(text)
          }))
        )
      )
  return {
    get: (path: string) => send(HttpClientRequest.get(`${base}${path}`)),
    post: (path: string, body: Json) =>
      send(HttpClientRequest.post(`${base}${path}`).pipe(HttpClientRequest.bodyUnsafeJson(body)))
  }
})

type Session = Effect.Effect.Success<typeof session>

const inCompany = <E, R>(test: (session: Session) => Effect.Effect<void, E, R>) =>
  Effect.flatMap(session, test).pipe(Effect.provide(Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)))

const codeOf = ({ body }: { readonly body: Json }) => body.Fault?.Error[0].code

describe("reports of the simulator", () => {
  it.effect("are whole answers: a header, columns, sections with their groups", () =>
    inCompany(({ get }) =>
      Effect.gen(function* () {
        const { body, status } = yield* get("/reports/BalanceSheet?minorversion=75")
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(Object.keys(body), ["Header", "Columns", "Rows"])
        assert.deepInclude(body.Header, {
          ReportName: "BalanceSheet",
          StartPeriod: "2026-01-01",
          EndPeriod: "2026-11-21",
          Currency: "USD"
        })
        const [assets, claims] = body.Rows.Row
        assert.deepStrictEqual([assets.group, claims.group], ["TotalAssets", "TotalLiabilitiesAndEquity"])
        // both sides come to the same
        assert.strictEqual(assets.Summary.ColData[1].value, claims.Summary.ColData[1].value)
        const fixed = assets.Rows.Row.find(({ group }: Json) => group === "FixedAssets")
        const machinery = fixed.Rows.Row.find(({ Header }: Json) => Header?.ColData[0].value === "Machinery")
        assert.deepStrictEqual(
          machinery.Rows.Row.map(({ ColData }: Json) => ColData.map(({ value }: Json) => value)),
          [
            ["Original Cost", "64000.00"],
            ["Depreciation", "-18500.00"]
          ]
        )
        const lastYear = (yield* get("/reports/ProfitAndLoss?date_macro=Last%20Fiscal%20Year")).body.Header
        assert.deepStrictEqual([lastYear.StartPeriod, lastYear.EndPeriod], ["2025-01-01", "2025-12-31"])
        const before = yield* get("/reports/CashFlow?start_date=2001-01-01&end_date=2001-02-01")
        assert.deepStrictEqual(before.body.Header.Option, [{ Name: "NoReportData", Value: "false" }])
      })
    )
  )

  it.effect("refuse what they do not have", () =>
    inCompany(({ get }) =>
      Effect.gen(function* () {
        for (const [path, code] of [
          ["/reports/TrialBalance", "500"],
          ["/reports/BalanceSheet?start_date=yesterday&end_date=2026-01-01", "6000"],
          ["/reports/BalanceSheet?start_date=2026-02-30&end_date=2026-03-01", "6000"],
          ["/reports/ProfitAndLoss?start_date=2026-03-01&end_date=2026-02-01", "6000"],
          ["/reports/ProfitAndLoss?start_date=2026-01-01&date_macro=Today", "6000"],
          ["/reports/ProfitAndLoss?date_macro=Doomsday", "2170"],
          ["/reports/ProfitAndLoss?summarize_column_by=Month", "500"],
          ["/reports/ProfitAndLoss?accounting_method=Cash", "500"],
          ["/reports/CashFlow?accounting_method=Accrual", "2010"],
          ["/reports/BalanceSheet?columns=tx_date", "2010"],
          ["/reports/GeneralLedger?columns=tx_date,colour", "2010"]
        ]) {
          const answer = yield* get(path ?? "")
          assert.strictEqual(answer.status, 400, path)
          assert.strictEqual(codeOf(answer), code, path)
        }
      })
    )
  )

  it.effect("the general ledger has the columns it is asked for, and leaves out those of one currency", () =>
    inCompany(({ get }) =>
      Effect.gen(function* () {
        const columns = "tx_date,txn_type,debt_amt,credit_amt,debt_home_amt,credit_home_amt"
        const { body } = yield* get(
          `/reports/GeneralLedger?start_date=2026-10-01&end_date=2026-10-31&columns=${columns}`
        )
        const keys = body.Columns.Column.map(({ MetaData }: Json) => MetaData[0].Value)
        assert.deepStrictEqual(keys, ["tx_date", "txn_type", "debt_home_amt", "credit_home_amt"])
        const checking = body.Rows.Row.find(({ Header }: Json) => Header.ColData[0].value === "Checking")
        assert.match(checking.Header.ColData[0].id, /^\d+$/)
        assert.strictEqual(checking.Rows.Row[0].ColData[0].value, "Beginning Balance")
        for (const { ColData } of checking.Rows.Row.slice(1)) {
          assert.strictEqual(ColData.length, 4)
          assert.isTrue(ColData[0].value >= "2026-10-01" && ColData[0].value <= "2026-10-31")
          assert.match(ColData[1].id, /^\d+$/)
        }
      })
    )
  )
})

describe("the tax service of the simulator", () => {
  it.effect("makes a code with its rates, new or known, and refuses what is not whole", () =>
    inCompany(({ get, post }) =>
      Effect.gen(function* () {
        const rate = { TaxRateName: "Toll", RateValue: "2.5", TaxAgencyId: "1", TaxApplicableOn: "Sales" }
        const made = yield* post("/taxservice/taxcode", { TaxCode: "Toll", TaxRateDetails: [rate] })
        assert.strictEqual(made.status, 200, JSON.stringify(made.body))
        const [{ TaxRateId }] = made.body.TaxRateDetails
        const code = (yield* get(`/taxcode/${made.body.TaxCodeId}`)).body.TaxCode
        assert.deepStrictEqual(code.SalesTaxRateList.TaxRateDetail[0].TaxRateRef, { value: TaxRateId, name: "Toll" })
        const again = yield* post("/taxservice/taxcode", { TaxCode: "Toll too", TaxRateDetails: [{ TaxRateId }] })
        assert.strictEqual(again.status, 200)
        for (const [body, expected] of [
          [{ TaxCode: "Toll", TaxRateDetails: [{ TaxRateId }] }, "6240"],
          [{ TaxCode: "x", TaxRateDetails: [rate] }, "6240"],
          [{ TaxCode: "x", TaxRateDetails: [] }, "2020"],
          [{ TaxRateDetails: [{ TaxRateId }] }, "2020"],
          [{ TaxCode: "x", TaxRateDetails: [{ TaxRateName: "y", RateValue: 1 }] }, "2020"],
          [{ TaxCode: "x", TaxRateDetails: [{ ...rate, TaxRateName: "y", TaxAgencyId: "9" }] }, "2500"],
          [{ TaxCode: "x", TaxRateDetails: [{ TaxRateId: "999999" }] }, "2500"],
          [{ TaxCode: "x", Colour: "red", TaxRateDetails: [{ TaxRateId }] }, "2010"]
        ] as const) {
          const answer = yield* post("/taxservice/taxcode", body)
          assert.deepStrictEqual([answer.status, codeOf(answer)], [400, expected], JSON.stringify(body))
        }
      })
    )
  )
})

describe("the rows of a general ledger", () => {
  const cells = (...values: ReadonlyArray<string | readonly [value: string, id: string]>) => ({
    ColData: values.map((one) => (typeof one === "string" ? { value: one } : { value: one[0], id: one[1] }))
  })
  const section = (id: string, name: string, ...Row: ReadonlyArray<unknown>) => ({
    type: "Section",
    Header: cells([name, id], "", "", "", ""),
    Rows: { Row },
    Summary: cells(`Total for ${name}`, "", "", "", "")
  })

  it("become transactions; the account is that of the section, where no column says it", () => {
    const Column = ["tx_date", "txn_type", "klass_name", "debt_amt", "credit_amt"].map((Value) => ({
      MetaData: [{ Name: "ColKey", Value }]
    }))
    const found = transactionsIn({
      Header: { Currency: "GBP" },
      Columns: { Column },
      Rows: {
        Row: [
          section(
            "35",
            "Checking",
            cells("Beginning Balance", "", "", "", ""),
            cells("2026-03-01", ["Cheque", "9"], "", "", "12.50"),
            cells("2026-03-02", ["Deposit", "10"], "", "100.00", "")
          ),
          section(
            "60",
            "Travel",
            section("61", "Meals", cells("2026-03-01", ["Cheque", "9"], ["Show", "4"], "12.50", ""))
          ),
          section("80", "Sales", cells("2026-03-02", ["Deposit", "10"], "", "", "100.00"))
        ]
      }
    })
    assert.deepStrictEqual(
      found.map(({ Id, Lines, TxnType }) => [
        Id,
        TxnType,
        (Lines as ReadonlyArray<Json>).map(({ AccountRef, ClassRef, Credit, Currency, Debit }) => [
          AccountRef.value,
          Debit,
          Credit,
          Currency,
          ClassRef?.value
        ])
      ]),
      [
        [
          "2026-03-02:10",
          "Deposit",
          [
            ["35", "100.00", "0", "GBP", undefined],
            ["80", "0", "100.00", "GBP", undefined]
          ]
        ],
        [
          "2026-03-01:9",
          "Cheque",
          [
            ["35", "0", "12.50", "GBP", undefined],
            ["61", "12.50", "0", "GBP", "4"]
          ]
        ]
      ]
    )
  })
})
