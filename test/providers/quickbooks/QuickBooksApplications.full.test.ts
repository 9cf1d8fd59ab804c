import { assert, layer } from "@effect/vitest"
import { Context, Effect, FastCheck as fc, Layer, TestClock } from "effect"
import { CreditNote } from "../../../src/canonical/accounting/CreditNote.ts"
import { Invoice } from "../../../src/canonical/accounting/Invoice.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import { type Native, natives } from "../../../src/mapping/Mapping.ts"
import type { ConnectionRef } from "../../../src/providers/ConnectionRef.ts"
import type { ResourceAdapter } from "../../../src/providers/ProviderAdapter.ts"
import type { ProviderError } from "../../../src/providers/ProviderError.ts"
import { Providers } from "../../../src/providers/Providers.ts"
import { QuickBooks } from "../../../src/providers/quickbooks/QuickBooks.ts"
import { simulator } from "../../../src/providers/quickbooks/simulator/QuickBooksSimulator.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { whileTimePasses } from "../../support/SandboxApplication.ts"
import { harness } from "../../support/Harness.ts"

const live = QuickBooks.pipe(Layer.provideMerge(harness([{ simulator, values: { realmId: "9130347" } }])))

const one = <A>(value: A | undefined): A => {
  if (value === undefined) throw new Error("is not there")
  return value
}

/** Adapters with nothing in common but the company they work on: those of two processes. */
const processes = Effect.map(
  Effect.all([1, 2].map(() => Layer.build(Layer.fresh(QuickBooks.pipe(Layer.provideMerge(Providers.layer)))))),
  (contexts) => contexts.map((context) => one(Context.get(context, Providers).get("quickbooks")).resources)
)

const variantOf = (
  resource: typeof Invoice | typeof CreditNote,
  resourceAdapter: ResourceAdapter,
  nativeType: string
) => one(compile("quickbooks", resource, resourceAdapter.mapping).variant(nativeType))

layer(live)("credits that two processes apply", (it) => {
  it.scoped(
    "are applied as one of them says, whatever both do at once",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00Z"))
        const [mine, theirs] = yield* processes
        const [invoices, credits] = [one(one(mine).invoice), one(one(mine).credit_note)]
        const [Invoices, Credits] = [
          variantOf(Invoice, invoices, "Invoice"),
          variantOf(CreditNote, credits, "CreditMemo")
        ]
        const connection: ConnectionRef = {
          id: "bay",
          provider: "quickbooks",
          environment: "sandbox",
          organisation: "org"
        }
        const create = (resourceAdapter: ResourceAdapter, variant: typeof Invoices, record: Native) =>
          one(resourceAdapter.create)({
            connection,
            variant,
            encoded: { nativeType: variant.nativeType, record, steps: {} },
            idempotencyKey: undefined
          })
        const read = (resourceAdapter: ResourceAdapter | undefined, variant: typeof Invoices, id: string) =>
          one(one(resourceAdapter).get)({ connection, variant, id })
        const line = (Amount: number, item: unknown) => ({
          Amount,
          DetailType: "SalesItemLineDetail",
          SalesItemLineDetail: { ItemRef: { value: item } }
        })

        // reading makes the company
        yield* Effect.ignore(read(credits, Credits, "0"))
        const [customer, item] = one(
          yield* (yield* SimulationStore).run("quickbooks", connection.id, (account) => [
            account
              .all("Customer")
              .find(({ CurrencyRef, Job }) => Job === false && JSON.stringify(CurrencyRef).includes("USD"))?.Id,
            account.all("Item").find(({ Type }) => Type === "Service")?.Id
          ])
        )
        const document = (amount: number) => ({ CustomerRef: { value: customer }, Line: [line(amount, item)] })
        const open = yield* Effect.all([100, 100, 100].map((amount) => create(invoices, Invoices, document(amount))))
        const credit = yield* create(credits, Credits, document(60))

        const sharesOf = (parts: Native | undefined) =>
          natives(parts?.payments)
            .flatMap((payment) => natives(payment.Line))
            .flatMap((part) =>
              natives(part.LinkedTxn).flatMap((link) =>
                link.TxnType === "Invoice" ? [`${String(link.TxnId)}:${String(part.Amount)}`] : []
              )
            )
            .toSorted()

        /** A change as the service does it: read again and done again when it was stale. */
        const apply = (resourceAdapter: ResourceAdapter | undefined, wanted: ReadonlyArray<Native>) => {
          const once = Effect.gen(function* () {
            const current = yield* read(resourceAdapter, Credits, credit.id)
            return yield* one(one(resourceAdapter).patch)({
              connection,
              variant: Credits,
              id: credit.id,
              encoded: { nativeType: "CreditMemo", record: {}, steps: { apply: { wanted, payment: {} } } },
              current,
              mode: "patch"
            })
          })
          // as the service does it
          return Effect.retry(once, { times: 1, while: ({ reason }: ProviderError) => reason._tag === "Stale" })
        }

        const wish = fc
          .array(fc.record({ document: fc.nat(2), tens: fc.integer({ min: 1, max: 3 }) }), { maxLength: 2 })
          .map((shares) =>
            shares.map(({ document, tens }) => ({ document: one(open[document]).id, amount: tens * 10, date: null }))
          )
        for (const [a, b] of fc.sample(fc.tuple(wish, wish), { numRuns: 40, seed: 7 })) {
          const answers = yield* Effect.all([apply(one(mine).credit_note, a), apply(one(theirs).credit_note, b)], {
            concurrency: "unbounded",
            mode: "either"
          }).pipe(whileTimePasses(60_000))
          const found = sharesOf((yield* read(credits, Credits, credit.id)).parts)
          const wishes = [a, b].map((wanted) =>
            wanted.map(({ amount, document }) => `${document}:${amount}`).toSorted()
          )
          const outcome = answers.map((answer) => (answer._tag === "Right" ? "done" : answer.left.reason._tag))
          assert.deepInclude(
            wishes.map((wanted) => wanted.join()),
            found.join(),
            `${JSON.stringify(wishes)} became ${JSON.stringify(found)}: ${outcome.join()}`
          )
          assert.deepStrictEqual(outcome, ["done", "done"])
        }
      }),
    { timeout: 60_000 }
  )
})
