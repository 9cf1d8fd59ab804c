import { Decimal } from "decimal.js"
import type { AmountRule } from "../canonical/AmountRule.ts"
import { type Field, isShape, type Resource } from "../canonical/Resource.ts"
import type { Body } from "../mapping/Encode.ts"
import { natives } from "../mapping/Mapping.ts"
import type { Warning } from "../mapping/Warning.ts"
import { digitsOf } from "../platform/Currency.ts"
import type { FieldErrors } from "../platform/Errors.ts"
import type { CanonicalRecord } from "./Presenter.ts"

/** A body with the record it changes; a create has none. */
interface Amounts {
  readonly body: Body
  readonly current: CanonicalRecord | undefined
  /** The smallest amount of the currency. Two amounts may differ by it, since each may be rounded. */
  readonly minorUnit: Decimal
}

type Check<R extends AmountRule["rule"]> = (
  rule: Extract<AmountRule, { readonly rule: R }>,
  amounts: Amounts
) => FieldErrors

const isAmount = (value: unknown): value is number => typeof value === "number"

/** Text of an amount without an exponent. */
const show = (amount: Decimal.Value) => new Decimal(amount).toFixed()

const sumOf = (amounts: ReadonlyArray<Decimal.Value>) =>
  amounts.reduce<Decimal>((sum, amount) => sum.plus(amount), new Decimal(0))

const isOver = (difference: Decimal, minorUnit: Decimal) => difference.abs().greaterThan(minorUnit)

/** Whether a value is one that the record already has, which a client may send back whatever it is. */
const areHeld = (names: ReadonlyArray<string>, sent: Body, held: Body | undefined) =>
  held !== undefined && names.every((name) => sent[name] === undefined || sent[name] === held[name])

const listsOf = ({ body, current }: Amounts, list: string) => ({
  sent: natives(body[list]),
  held: natives(current?.[list])
})

const checkProducts: Check<"product"> = ({ amount, discount, isNet, list }, amounts) => {
  const { body, current, minorUnit } = amounts
  if (isNet === true && (body.inclusive_of_tax ?? current?.inclusive_of_tax) === true) return {}
  const { held, sent } = listsOf(amounts, list)
  const names = ["quantity", "unit_price", amount]
  const wrong = sent.flatMap((line, i) => {
    const [quantity, price, stated] = names.map((name) => line[name])
    if (!isAmount(quantity) || !isAmount(price) || !isAmount(stated)) return []
    // native members of the line may change its amount
    if (line.integration_params !== undefined || held.some((one) => areHeld(names, line, one))) return []
    const product = new Decimal(quantity).times(price)
    const less = product.minus(stated)
    return isOver(less, minorUnit) ? [{ path: `${list}.${i}.${amount}`, quantity, price, stated, product, less }] : []
  })
  const reduction = discount === undefined ? undefined : body[discount]
  const isDiscount =
    isAmount(reduction) &&
    reduction > 0 &&
    wrong.every(({ less }) => less.isPositive()) &&
    !isOver(sumOf(wrong.map(({ less }) => less)).minus(reduction), minorUnit)
  if (isDiscount) return {}
  return Object.fromEntries(
    wrong.map(({ path, price, product, quantity, stated }) => [
      path,
      `is ${show(stated)}, but quantity ${show(quantity)} × unit_price ${show(price)} is ${show(product)}. Send amounts that agree, or leave one of them out.`
    ])
  )
}

const checkTotal: Check<"total"> = ({ discount, parts, total }, { body, current, minorUnit }) => {
  const names = [total, ...parts, ...(discount === undefined ? [] : [discount])]
  const [stated, ...rest] = [total, ...parts].map((name) => body[name])
  const amounts = rest.filter(isAmount)
  if (!isAmount(stated) || parts.length === 0 || amounts.length < parts.length || areHeld(names, body, current))
    return {}
  const off = discount === undefined ? undefined : (body[discount] ?? current?.[discount])
  const sum = sumOf(amounts)
  // a discount of the lines has already reduced the parts
  const sums = isAmount(off) && off !== 0 ? [sum, sum.minus(off)] : [sum]
  if (sums.some((one) => !isOver(one.minus(stated), minorUnit))) return {}
  const written = parts.map((name, i) => `${name} ${show(amounts[i] ?? 0)}`).join(" + ")
  const less = isAmount(off) && off !== 0 ? ` − ${discount} ${show(off)}` : ""
  return {
    [total]: `is ${show(stated)}, but ${written}${less} is ${show(sums.at(-1) ?? sum)}. Send amounts that agree, or leave the computed ones out.`
  }
}

const credits: ReadonlySet<unknown> = new Set(["CREDIT_NOTE", "VENDOR_CREDIT"])

/** Sum of applications. A payment may use a credit, which leaves more for its other documents. */
const sumApplied = (lines: ReadonlyArray<Body>) =>
  sumOf(
    lines.flatMap(({ applied_amount: amount, related_object_type: type }) =>
      isAmount(amount) ? [credits.has(type) ? -amount : amount] : []
    )
  )

const checkApplied: Check<"applied"> = ({ list, total }, amounts) => {
  const { body, current, minorUnit } = amounts
  const lines = body[list] === undefined ? natives(current?.[list]) : natives(body[list])
  const available = body[total] ?? current?.[total]
  const isStated = body[list] !== undefined || body[total] !== undefined
  if (!isStated || !isAmount(available) || lines.length === 0) return {}
  // a journal entry may be a debit or a credit
  if (lines.some((line) => line.related_object_type === "JOURNAL_ENTRY")) return {}
  const applied = sumApplied(lines)
  const isAsBefore =
    current !== undefined && current[total] === available && applied.equals(sumApplied(natives(current[list])))
  // a refund is negative, as is the credit it pays out
  const excess = available < 0 ? applied.negated().plus(available) : applied.minus(available)
  if (isAsBefore || !excess.greaterThan(minorUnit)) return {}
  return {
    [list]: `applies ${show(applied)}, but ${total} is ${show(available)}. Apply no more than that.`
  }
}

const checkCurrencies: Check<"currency"> = ({ list }, amounts) => {
  const { body, current } = amounts
  const { held, sent } = listsOf(amounts, list)
  const ofLines = sent.map(({ currency }) => currency)
  const ofDocument = body.currency ?? current?.currency ?? ofLines.find((one) => typeof one === "string")
  if (typeof ofDocument !== "string") return {}
  return Object.fromEntries(
    ofLines.flatMap((currency, i) =>
      typeof currency !== "string" ||
      currency.toUpperCase() === ofDocument.toUpperCase() ||
      held.some((line) => line.currency === currency)
        ? []
        : [
            [
              `${list}.${i}.currency`,
              `is ${currency}, but the document is in ${ofDocument}. A document has one currency.`
            ]
          ]
    )
  )
}

const checkRule = (rule: AmountRule, amounts: Amounts): FieldErrors => {
  switch (rule.rule) {
    case "product":
      return checkProducts(rule, amounts)
    case "total":
      return checkTotal(rule, amounts)
    case "applied":
      return checkApplied(rule, amounts)
    case "currency":
      return checkCurrencies(rule, amounts)
  }
}

/**
 * Errors for amounts of a body that contradict each other, by path. What the record already holds is no contradiction, so that
 * a client can send back what it read.
 */
export const contradictions = (
  { amounts }: Pick<Resource, "amounts">,
  body: Body,
  current: CanonicalRecord | undefined
): FieldErrors => {
  const minorUnit = new Decimal(10).pow(-digitsOf(body.currency ?? current?.currency))
  return amounts.reduce<FieldErrors>(
    (errors, rule) => ({ ...errors, ...checkRule(rule, { body, current, minorUnit }) }),
    {}
  )
}

/** Fields in which a provider states what the whole document comes to. */
const totalsOf = ({ amounts }: Pick<Resource, "amounts">) =>
  amounts.flatMap((rule) => (rule.rule === "total" ? [rule.total, ...rule.parts] : []))

/** Fields without an amount of their own that decide what a document comes to. */
const decisive: ReadonlySet<string> = new Set([
  "currency",
  "inclusive_of_tax",
  "status",
  "integration_params",
  "custom_fields"
])

const isMoney = (name: string, field: Field | undefined): boolean =>
  decisive.has(name) ||
  (field?.access === "rw" &&
    (field.kind === "number" ||
      field.kind === "decimal" ||
      (isShape(field.item) && Object.values(field.item.fields).some(({ kind }) => kind === "number"))))

/** Whether a change must leave the totals of a document alone, because it names no amounts. */
export const mustKeepTotals = (resource: Resource, body: Body) =>
  totalsOf(resource).length > 0 && !Object.keys(body).some((name) => isMoney(name, resource.fields[name]))

/** Whether the amounts of a partial body can be judged only together with the record. */
export const dependsOnHeldAmounts = (resource: Resource, body: Body) =>
  resource.amounts.some(
    (rule) => rule.rule === "applied" && (body[rule.list] === undefined) !== (body[rule.total] === undefined)
  )

/** Warnings for totals that a change moved although it names no amounts. */
export const movedTotals = (
  resource: Resource,
  provider: string,
  before: CanonicalRecord,
  after: CanonicalRecord
): ReadonlyArray<Warning> =>
  totalsOf(resource).flatMap((name): ReadonlyArray<Warning> => {
    const [was, is] = [before[name], after[name]]
    return isAmount(was) && isAmount(is) && was !== is
      ? [
          {
            field: name,
            code: "CHANGED",
            message: `was ${show(was)} and is now ${show(is)}: ${provider} computed it again, although the write names no amounts`
          }
        ]
      : []
  })
