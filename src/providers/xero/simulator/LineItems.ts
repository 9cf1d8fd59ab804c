import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, money, partAt, partsAt, textAt } from "../../simulation/Docs.ts"
import { accountIn } from "./Accounts.ts"
import { type Checked, complain } from "./Answers.ts"
import { type Fields, flag, id, number, own, part, parts, text } from "./Fields.ts"
import { itemByCode } from "./Items.ts"
import { cleared, type Depth, isWhole } from "./Kind.ts"
import { regionOf } from "./Organisation.ts"
import { trackingOf, trackingView } from "./Tracking.ts"

// https://developer.xero.com/documentation/api/accounting/invoices#creating-updating-and-deleting-line-items-when-updating-invoices

export const trackingFields: Fields = {
  TrackingCategoryID: id,
  TrackingOptionID: id,
  Name: text(100),
  Option: text(100),
  Status: own(text()),
  Options: own(parts({}))
}

export const lineFields: Fields = {
  LineItemID: id,
  Description: text(4000),
  Quantity: number,
  UnitAmount: number,
  ItemCode: text(30),
  AccountCode: text(),
  AccountID: id,
  TaxType: text(),
  TaxAmount: number,
  Item: part({ ItemID: id, Code: text(), Name: text() }),
  LineAmount: number,
  Tracking: parts(trackingFields),
  DiscountRate: number,
  DiscountAmount: number,
  DiscountEnteredAsPercent: own(flag),
  IsBlank: own(flag),
  ValidationErrors: own(parts({}))
}

/** Rules that a kind of document has for its lines. */
export interface LineRules {
  /** The item's details that lines default to. */
  readonly side: "SalesDetails" | "PurchaseDetails"
  readonly discounts: boolean
  /** False until the document is approved: until then account and tax may be missing. */
  readonly isApproved: boolean
  readonly lineAmountTypes: string
  /** Whether lines may post to an account. */
  readonly fits: (account: Doc) => boolean
}

/** Only payments and approvals post to bank accounts, receivables and payables. */
export const plainAccount = (account: Doc): boolean =>
  account.Type !== "BANK" && account.SystemAccount !== "DEBTORS" && account.SystemAccount !== "CREDITORS"

/** Returns a number that a line holds. */
const given = (line: Doc, name: string): Decimal | undefined =>
  typeof line[name] === "number" ? amountAt(line, name) : undefined

const isPercent = (line: Doc): boolean =>
  line.DiscountEnteredAsPercent !== false && given(line, "DiscountRate") !== undefined

/** The discount of a line, which gives it as a rate with two decimals or as an amount. */
const discountOf = (line: Doc, whole: Decimal): Decimal =>
  isPercent(line)
    ? whole.times(amountAt(line, "DiscountRate").toDecimalPlaces(2)).div(100)
    : amountAt(line, "DiscountAmount")

const discounted = (line: Doc, whole: Decimal): Decimal => whole.minus(discountOf(line, whole))

/** The discount of a line as a rate and as an amount. */
const discountsOf = (line: Doc): Doc => {
  const whole = amountAt(line, "Quantity").times(amountAt(line, "UnitAmount"))
  const discount = discountOf(line, whole)
  const rate = isPercent(line)
    ? amountAt(line, "DiscountRate")
    : whole.isZero()
      ? whole
      : discount.div(whole).times(100)
  return { DiscountRate: money(rate), DiscountAmount: money(discount), DiscountEnteredAsPercent: isPercent(line) }
}

/** Works out whichever of quantity, price and amount a line leaves out. */
const amounts = (line: Doc): Checked<Doc> => {
  const [quantity, price, amount] = [given(line, "Quantity"), given(line, "UnitAmount"), given(line, "LineAmount")]
  if (price === undefined && amount === undefined) {
    return Either.right(quantity === undefined ? { LineAmount: 0 } : { Quantity: quantity.toNumber(), LineAmount: 0 })
  }
  if (amount === undefined) {
    const units = quantity ?? new Decimal(1)
    const total = money(discounted(line, units.times(price ?? 0)))
    return Either.right({ Quantity: units.toNumber(), UnitAmount: Number(price), LineAmount: total })
  }
  if (price === undefined || quantity === undefined) {
    if (price !== undefined && !price.isZero()) {
      return Either.right({
        Quantity: amount.div(price).toDecimalPlaces(4).toNumber(),
        UnitAmount: price.toNumber(),
        LineAmount: money(amount)
      })
    }
    const units = quantity === undefined || quantity.isZero() ? new Decimal(1) : quantity
    const each = amount.div(units).toDecimalPlaces(4).toNumber()
    return Either.right({ Quantity: units.toNumber(), UnitAmount: each, LineAmount: money(amount) })
  }
  const expected = discounted(line, quantity.times(price))
  return expected.minus(amount).abs().gt("0.01")
    ? complain(`The line total ${amount.toFixed(2)} does not match the expected line total ${expected.toFixed(2)}`)
    : Either.right({ Quantity: quantity.toNumber(), UnitAmount: price.toNumber(), LineAmount: money(amount) })
}

/** The tax on an amount, or in it. */
export const taxOf = (account: Account, taxType: string, amount: Decimal, isInclusive: boolean): number => {
  const rate = amountAt(account.get("TaxRate", taxType) ?? {}, "EffectiveRate")
  return money(isInclusive ? amount.times(rate).div(rate.plus(100)) : amount.times(rate).div(100))
}

const taxComplaints = (account: Account, { TaxType }: Doc, rules: LineRules) => {
  if (TaxType === undefined) return rules.isApproved ? ["Tax rate must be valid."] : []
  return account.get("TaxRate", String(TaxType))?.Status === "ACTIVE"
    ? []
    : [`The TaxType code '${String(TaxType)}' does not exist or cannot be used for this type of transaction.`]
}

const accountComplaints = (line: Doc, named: Doc | undefined, rules: LineRules) => {
  const code = textAt(line, "AccountCode") ?? textAt(line, "AccountID")
  if (code === undefined) return rules.isApproved ? ["Account must be valid."] : []
  if (named === undefined || named.Status !== "ACTIVE")
    return [
      `Account code '${String(named?.Code ?? code)}' has been archived, or deleted. Invoices/credit notes cannot be coded to it.`
    ]
  return rules.fits(named)
    ? []
    : [`Account code '${String(named.Code ?? code)}' is not a valid code for this document.`]
}

/** Defaults that a line takes from its item. */
const fromItem = (item: Doc | undefined, rules: LineRules): Doc => {
  if (item === undefined) return {}
  const details = partAt(item, rules.side)
  const isStocked = rules.side === "PurchaseDetails" && item.IsTrackedAsInventory === true
  return compact({
    Description: rules.side === "SalesDetails" ? item.Description : item.PurchaseDescription,
    UnitAmount: details.UnitPrice,
    AccountCode: isStocked ? item.InventoryAssetAccountCode : details.AccountCode,
    TaxType: details.TaxType
  })
}

const settled = (account: Account, raw: Doc, rules: LineRules): Checked<Doc> =>
  Either.gen(function* () {
    const bare = cleared(raw)
    const code = textAt(bare, "ItemCode") ?? textAt(partAt(bare, "Item"), "Code")
    const itemId = textAt(partAt(bare, "Item"), "ItemID")
    const item = itemId === undefined ? itemByCode(account, code ?? "") : account.get("Item", itemId)
    if (item === undefined && (code ?? itemId) !== undefined)
      return yield* complain(`Item code '${String(code ?? itemId)}' is not valid`)
    const line = { ...fromItem(item, rules), ...bare }
    const named = accountIn(account, line)
    const isTaxed = rules.lineAmountTypes !== "NoTax"
    const TaxType = isTaxed ? (line.TaxType ?? named?.TaxType) : regionOf(account).usual.none
    const tracking = yield* trackingOf(account, partsAt(line, "Tracking"))
    const hasDiscount = !amountAt(line, "DiscountRate").isZero() || !amountAt(line, "DiscountAmount").isZero()
    const messages = [
      ...(line.Description === undefined &&
      item === undefined &&
      line.LineAmount === undefined &&
      line.UnitAmount === undefined
        ? ["Description needs to be at least 1 char long."]
        : []),
      ...(hasDiscount && !rules.discounts ? ["Discounts are only supported on ACCREC invoices."] : []),
      ...(amountAt(line, "UnitAmount").isNegative() && line.DiscountAmount !== undefined
        ? ["Discount must not be greater than the line total."]
        : []),
      ...accountComplaints(line, named, rules),
      ...taxComplaints(account, { TaxType }, rules)
    ]
    if (messages.length > 0) return yield* complain(...messages)
    const sums = yield* amounts(line)
    const isInclusive = rules.lineAmountTypes === "Inclusive"
    const tax = TaxType === undefined ? 0 : taxOf(account, String(TaxType), amountAt(sums, "LineAmount"), isInclusive)
    return compact({
      LineItemID: textAt(line, "LineItemID") ?? crypto.randomUUID(),
      Description: line.Description,
      ...sums,
      ItemID: item?.ItemID,
      AccountID: named?.AccountID,
      TaxType,
      // a client may correct the tax by hand
      TaxAmount: isTaxed ? (line.TaxAmount ?? tax) : 0,
      Tracking: tracking,
      ...(hasDiscount ? discountsOf({ ...line, ...sums }) : {})
    })
  })

/**
 * Returns the lines of a document. A line with the id of an existing one changes it; existing lines that the body omits are
 * removed. A body without lines that changes the line amount types recalculates the existing lines.
 */
export const linesOf = (
  account: Account,
  document: Doc,
  current: Doc | undefined,
  rules: LineRules
): Checked<ReadonlyArray<Doc>> => {
  const known = partsAt(current ?? {}, "LineItems")
  const isGiven = document.LineItems !== undefined
  const asked = isGiven
    ? partsAt(document, "LineItems").map((line) => {
        const before = known.find((one) => one.LineItemID === line.LineItemID)
        return before === undefined ? { ...line, LineItemID: undefined } : onto(before, line)
      })
    : known.map(({ TaxAmount, ItemID, ...line }) => ({
        ...line,
        ...(ItemID === undefined ? {} : { Item: { ItemID } }),
        ...(current?.LineAmountTypes === rules.lineAmountTypes ? { TaxAmount } : {})
      }))
  return Either.all(asked.map((line) => settled(account, compact(line), rules)))
}

/** Lays a line over the one it changes, dropping the values to recalculate. */
const onto = (before: Doc, line: Doc): Doc => {
  const { ItemID, ...kept } = before
  const isNew = (...members: ReadonlyArray<string>) => members.some((name) => line[name] !== undefined)
  const dropped = new Set([
    ...(isNew("Quantity", "UnitAmount", "DiscountRate", "DiscountAmount") ? ["LineAmount"] : []),
    ...(isNew("Quantity", "UnitAmount", "LineAmount", "TaxType", "DiscountRate", "DiscountAmount")
      ? ["TaxAmount"]
      : []),
    ...(isNew("LineAmount") && !isNew("UnitAmount") ? ["UnitAmount"] : []),
    ...(isNew("DiscountRate", "DiscountAmount") ? ["DiscountRate", "DiscountAmount", "DiscountEnteredAsPercent"] : []),
    ...(isNew("AccountCode") ? ["AccountID"] : [])
  ])
  return {
    ...Object.fromEntries(Object.entries(kept).filter(([name]) => !dropped.has(name))),
    ...(ItemID === undefined || isNew("ItemCode", "Item") ? {} : { Item: { ItemID } }),
    ...line
  }
}

/** Totals of lines. */
export const totalsOf = (lines: ReadonlyArray<Doc>, lineAmountTypes: string) => {
  const sum = (name: string) => lines.reduce((total, line) => total.plus(amountAt(line, name)), new Decimal(0))
  const [amount, tax] = [sum("LineAmount"), sum("TaxAmount")]
  const net = lineAmountTypes === "Inclusive" ? amount.minus(tax) : amount
  const discount = lines.reduce((total, line) => {
    const whole = amountAt(line, "Quantity").times(amountAt(line, "UnitAmount"))
    return line.DiscountRate === undefined && line.DiscountAmount === undefined
      ? total
      : total.plus(whole.minus(amountAt(line, "LineAmount")))
  }, new Decimal(0))
  return { SubTotal: money(net), TotalTax: money(tax), Total: money(net.plus(tax)), TotalDiscount: money(discount) }
}

/** A line as responses show it, with the current names of its item, account and tracking. Pages show less of it. */
export const lineView =
  (account: Account, depth: Depth, isOfOrder: boolean) =>
  ({ ItemID, ...line }: Doc): Doc => {
    const item = ItemID === undefined ? undefined : account.get("Item", String(ItemID))
    const held = line.AccountID === undefined ? undefined : account.get("Account", String(line.AccountID))
    const { AccountID, DiscountAmount, DiscountEnteredAsPercent, DiscountRate, ...members } = line
    const discount =
      DiscountEnteredAsPercent === undefined
        ? {}
        : isWhole(depth)
          ? { DiscountRate, DiscountAmount, DiscountEnteredAsPercent }
          : DiscountEnteredAsPercent === true
            ? { DiscountRate }
            : { DiscountAmount }
    const named = { ItemID, Name: item?.Name, Code: item?.Code }
    return compact({
      ...members,
      ...discount,
      ItemCode: item?.Code,
      ...(item === undefined ? {} : isOfOrder ? (isWhole(depth) ? { ItemID } : {}) : { Item: compact(named) }),
      AccountCode: held?.Code,
      ...(isOfOrder && !isWhole(depth) ? {} : { AccountID }),
      Tracking: trackingView(account, partsAt(line, "Tracking"), depth),
      ...(isWhole(depth) && !isOfOrder ? { ValidationErrors: [] } : {})
    })
  }
