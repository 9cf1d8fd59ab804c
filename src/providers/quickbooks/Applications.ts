import { Decimal } from "decimal.js"
import { Duration, Effect, Random } from "effect"
import type { Entries } from "../../mapping/Entries.ts"
import { type Encoding, getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { remoteIdOf } from "../../mapping/Transform.ts"
import { Invalid, ProviderError, Stale } from "../ProviderError.ts"
import type { Step } from "./Entity.ts"
import { amountOf } from "./Common.ts"
import { exact } from "./Money.ts"
import { newObject, overlay, withoutInternals } from "./Overlay.ts"
import { allocationsOf, dayOf, isLinkedBy, paymentsSince, type Settlement } from "./Settlements.ts"
import { keyedMutex } from "./KeyedMutex.ts"

/**
 * A payment of amount 0 that links both applies a credit to an invoice or bill. Such payments are created, changed and
 * deleted here; a credit that a payment of money applies is part of that payment and changed there.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/payment
 */

/** The share of a credit to apply to a document; a null date means today. */
interface Share {
  readonly document: string
  readonly amount: number
  readonly date: string | null
}

interface Application extends Share {
  readonly payment: Native
}

const applicationsOf = (settlement: Settlement, payments: unknown, credit: unknown): ReadonlyArray<Application> =>
  natives(payments).flatMap((payment) =>
    allocationsOf(settlement, payment)
      .filter(
        (one) =>
          one.type === settlement.document && one.credit?.type === settlement.credit && one.credit.id === String(credit)
      )
      .map(({ amount, id }) => ({ payment, document: id, amount: amount.toNumber(), date: dayOf(payment) }))
  )

/** Whether a payment does nothing but apply one credit to one document. */
const isPure = (payment: Native) => payment.TotalAmt === 0 && natives(payment.Line).length === 2

/** Changes that turn the present applications into the wanted ones. */
interface Plan {
  readonly undo: ReadonlyArray<Application>
  readonly change: ReadonlyArray<readonly [from: Application, to: Share]>
  readonly give: ReadonlyArray<Share>
}

/** Pairs off the members of both lists that match. */
const paired = (
  held: ReadonlyArray<Application>,
  wanted: ReadonlyArray<Share>,
  matches: (one: Application, share: Share) => boolean
) => {
  const left = new Set(held)
  const pairs: Array<readonly [Application, Share]> = []
  const open = wanted.filter((share) => {
    const one = [...left].find((other) => matches(other, share))
    if (one === undefined) return true
    left.delete(one)
    pairs.push([one, share])
    return false
  })
  return { pairs, held: [...left], wanted: open }
}

const planOf = (held: ReadonlyArray<Application>, wanted: ReadonlyArray<Share>): Plan => {
  const rest = paired(
    held,
    wanted,
    (one, share) =>
      one.document === share.document && one.amount === share.amount && (share.date === null || share.date === one.date)
  )
  const same = paired(rest.held, rest.wanted, (one, { document }) => isPure(one.payment) && one.document === document)
  const other = paired(same.held, same.wanted, ({ payment }) => isPure(payment))
  return { undo: other.held, change: [...same.pairs, ...other.pairs], give: other.wanted }
}

const isDone = ({ change, give, undo }: Plan) => change.length + give.length + undo.length === 0

/** Finds a payment that would have to change but does more than apply this credit. */
const mixedIn = ({ undo }: Plan) => undo.find(({ payment }) => !isPure(payment))?.payment

const mixedMessage = (payment: Native) => `is partly set off by payment ${String(payment.Id)}; change that payment`

/** Leaving the field out changes nothing: applications are payments of their own. */
export const applications = (
  of: Entries<"applied_to_lines">,
  settlement: Settlement,
  part: string,
  /** Further members that a payment of amount 0 needs, chosen from the lookups. */
  source?: (encoding: Encoding) => Native
) =>
  of.computed({
    canonical: "applied_to_lines",
    native: ["Id", "LinkedTxn"],
    parts: [part],
    needsCurrent: true,
    encodeLookups: ["preferences", ...(source === undefined ? [] : ["accounts"])],
    decode: ({ parts, record }, context) =>
      applicationsOf(settlement, parts?.[part], record.Id).map(({ amount, date, document, payment }) => ({
        remote_id: `${String(payment.Id)}:${document}`,
        invoice: context.reference("invoice", settlement.document, document),
        applied_date: date,
        applied_amount: amount,
        remote_was_deleted: false
      })),
    encode: (value, encoding) => {
      if (value === null) return
      const { current, prefix, refuse, step } = encoding
      const wanted = natives(value).flatMap((line, i): ReadonlyArray<Share> => {
        const path = `${prefix}applied_to_lines.${i}`
        const document = remoteIdOf(line.invoice, "invoice", [settlement.document], encoding, `${path}.invoice`)
        const amount = exact(line.applied_amount, `${path}.applied_amount`, encoding)
        if (amount?.gt(0) === false) refuse(`${path}.applied_amount`, "must be more than 0")
        const date = typeof line.applied_date === "string" ? line.applied_date : null
        return document === undefined || amount === undefined ? [] : [{ document, amount: amount.toNumber(), date }]
      })
      const held = applicationsOf(settlement, current?.parts?.[part], current?.record.Id)
      const plan = planOf(held, wanted)
      const mixed = mixedIn(plan)
      if (mixed !== undefined) refuse(`${prefix}applied_to_lines`, mixedMessage(mixed))
      if (!isDone(plan)) step("apply", { wanted, payment: source?.(encoding) ?? {} })
    }
  })

const failed = (settlement: Settlement, reason: Invalid | Stale, detail?: string) =>
  new ProviderError({
    provider: "quickbooks",
    operation: `${settlement.entity}.apply`,
    reason,
    ...(detail === undefined ? {} : { detail })
  })

/** An effect that undoes a step; its record may be gone by then. */
type Back = Effect.Effect<unknown, ProviderError>

const isOf =
  (tag: "Invalid" | "Missing" | "Stale") =>
  ({ reason }: ProviderError) =>
    reason._tag === tag

const [isInvalid, isMissing, isStale] = [isOf("Invalid"), isOf("Missing"), isOf("Stale")]

/** Runs steps in order; when one is refused, undoes the earlier ones, the newest first. */
const inOrder = (steps: ReadonlyArray<Effect.Effect<Back, ProviderError>>): Effect.Effect<void, ProviderError> => {
  const [step, ...more] = steps
  if (step === undefined) return Effect.void
  return Effect.flatMap(step, (back) =>
    Effect.tapError(inOrder(more), (error) =>
      // somebody else changed the record meanwhile: the caller reads it again and starts over
      isStale(error)
        ? Effect.void
        : Effect.catchAll(back, ({ operation, reason }) =>
            Effect.logError("what a refused change of applied credits had done could not be taken back").pipe(
              Effect.annotateLogs({ operation, reason: reason._tag })
            )
          )
    )
  )
}

/** A body that makes a payment again. */
const remadeOf = ({ Id: _id, MetaData: _meta, SyncToken: _token, ...record }: Native): Native => {
  const body = withoutInternals(record)
  return isNative(body) ? body : {}
}

const sumOf = (shares: ReadonlyArray<Share>): Decimal =>
  shares.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0))

/** Why an attempt failed, and how many retries it is worth. */
interface Failure {
  readonly error: ProviderError
  readonly tries: number
}

/** Retries an attempt with exponential backoff and jitter; the attempt learns whether it is the first. */
const trying = <A>(
  attempt: (isFirst: boolean) => Effect.Effect<A, Failure>,
  tried = 0
): Effect.Effect<A, ProviderError> =>
  Effect.catchAll(attempt(tried === 0), ({ error, tries }) =>
    tried >= tries
      ? Effect.fail(error)
      : Effect.flatMap(Random.nextRange(0.5, 1.5), (share) =>
          Effect.delay(trying(attempt, tried + 1), Duration.millis(50 * share * 2 ** tried))
        )
  )

/**
 * Changes the payments that apply a credit to the wanted state, and restores them when QuickBooks refuses. Callers in this
 * process take turns at a credit. Changes by others, in another process or in QuickBooks itself, show when the credit is
 * read back: where it differs from the wanted state, it is read and changed again, so that the last caller wins.
 */
export const applying = (settlement: Settlement, part: string): Step => {
  const locked = keyedMutex()
  const { party } = settlement

  return (books, connection, { isNew, record: written }, value) => {
    const id = String(written.Id)
    const { payment, wanted } = isNative(value) ? value : {}
    const shares = natives(wanted).map(({ amount, date, document }): Share => ({
      document: String(document),
      amount: Number(amount),
      date: typeof date === "string" ? date : null
    }))

    /** Reads the credit with its applications. */
    const read = Effect.gen(function* () {
      const { others, record: credit } = yield* books.readBeside(connection, settlement.credit, id, {
        name: settlement.entity,
        where: paymentsSince(settlement, [written])
      })
      const payments = others.filter(isLinkedBy(settlement, credit))
      return { credit, payments, held: applicationsOf(settlement, payments, id) }
    })

    const linesOf = ({ amount, document }: Share) => [
      { Amount: amount, LinkedTxn: [{ TxnId: document, TxnType: settlement.document }] },
      { Amount: amount, LinkedTxn: [{ TxnId: id, TxnType: settlement.credit }] }
    ]

    const make = (body: Native) => books.create(connection, settlement.entity, newObject(body), undefined)

    const remove = (payment: Native) => books.operate(connection, settlement.entity, "delete", payment)

    const change = (payment: Native, over: Native) =>
      Effect.mapError(books.post(connection, settlement.entity, "update", overlay(payment, over)), (error) =>
        isMissing(error) ? failed(settlement, new Stale()) : error
      )

    const stepsOf = (plan: Plan, credit: Native): ReadonlyArray<Effect.Effect<Back, ProviderError>> => [
      ...plan.undo.map(({ payment }) =>
        remove(payment).pipe(
          Effect.as(make(remadeOf(payment))),
          Effect.catchIf(isMissing, () => Effect.succeed(Effect.void))
        )
      ),
      // decreases come before increases, so that the credit suffices throughout
      ...plan.change
        .toSorted(([a, b], [c, d]) => b.amount - a.amount - (d.amount - c.amount))
        .map(([{ document, payment }, share]) => {
          const day = share.date ?? (share.document === document ? payment.TxnDate : null)
          return Effect.map(change(payment, { Line: linesOf(share), TxnDate: day }), (changed) =>
            change(changed, { Line: natives(payment.Line), TxnDate: payment.TxnDate })
          )
        }),
      ...plan.give.map((share) =>
        Effect.map(
          make({
            ...(isNative(payment) ? payment : {}),
            [party]: { value: getPath(credit, `${party}.value`) },
            CurrencyRef: { value: getPath(credit, "CurrencyRef.value") ?? null },
            ExchangeRate: credit.ExchangeRate ?? null,
            TotalAmt: 0,
            TxnDate: share.date,
            Line: linesOf(share)
          }),
          remove
        )
      )
    ]

    /** Whether the credit's remainder and the documents' open amounts cover the wanted shares. */
    const fits = Effect.gen(function* () {
      const { credit, held } = yield* read
      const documents = yield* books.byIds(connection, settlement.document, [
        ...new Set(shares.map(({ document }) => document))
      ])
      const left = amountOf(credit.RemainingCredit ?? credit.Balance)
      return (
        left?.plus(sumOf(held)).gte(sumOf(shares)) === true &&
        documents.every(({ Balance, Id }) => {
          const of = (all: ReadonlyArray<Share>) => sumOf(all.filter(({ document }) => document === Id))
          return amountOf(Balance)?.plus(of(held)).gte(of(shares)) === true
        })
      )
    })

    const refused = (message: string) => failed(settlement, new Invalid({ fields: { LinkedTxn: message } }), message)

    const apply = (isFirst: boolean) =>
      Effect.gen(function* () {
        // nobody else knows a credit that was just created
        const isUntouched = isFirst && isNew === true
        const { credit, held, payments } = isUntouched ? { credit: written, held: [], payments: [] } : yield* read
        const plan = planOf(held, shares)
        if (isDone(plan)) return { record: credit, parts: { [part]: payments } }
        const mixed = mixedIn(plan)
        if (mixed !== undefined) return yield* refused(mixedMessage(mixed))
        yield* inOrder(stepsOf(plan, credit))
        const now = yield* read
        return isDone(planOf(now.held, shares))
          ? { record: now.credit, parts: { [part]: now.payments } }
          : yield* failed(settlement, new Stale())
      }).pipe(
        Effect.catchAll((error): Effect.Effect<never, Failure> => {
          if (!isInvalid(error)) return Effect.fail({ error, tries: isStale(error) ? 5 : 0 })
          return fits.pipe(
            Effect.orElseSucceed(() => false),
            // the amounts fit, so perhaps another caller's change was in the way
            Effect.flatMap((does) =>
              Effect.fail({ error: refused(error.detail ?? "was refused"), tries: does ? 2 : 0 })
            )
          )
        })
      )

    return locked(`${connection.id}/${id}`)(trying(apply))
  }
}
