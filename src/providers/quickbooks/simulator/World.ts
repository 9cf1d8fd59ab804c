import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, moneyOf, partAt, partsAt, refAt, textAt } from "./Fields.ts"

export { homeOf } from "./Fields.ts"

// What differs between companies of several countries: currency, sales tax, and who decides about it.
// https://developer.intuit.com/app/developer/qbo/docs/workflows/manage-sales-tax-for-us-locales
// https://developer.intuit.com/app/developer/qbo/docs/workflows/manage-sales-tax-for-non-us-locales

export type WorldName = "US" | "US automated" | "CA" | "GB" | "AU"

/** A tax code: its name and description, and names of the rates for sales and for purchases. */
type Code = readonly [name: string, description: string, sales: ReadonlyArray<string>, purchases: ReadonlyArray<string>]

export interface World {
  readonly name: WorldName
  readonly country: "US" | "CA" | "GB" | "AU"
  readonly currency: string
  readonly agency: string
  /** The word for tax in the error about lines without a code; undefined where lines need none. */
  readonly taxWord?: string
  /** Intuit chooses the code of a sale by where it goes, whatever was sent. */
  readonly isAutomated?: true
  readonly rates: ReadonlyArray<readonly [name: string, description: string, percent: number]>
  /** The first is usual; in countries other than the US the last charges nothing. */
  readonly codes: ReadonlyArray<Code>
  readonly address: Doc
  readonly timeZone: string
}

const unitedStates: World = {
  name: "US",
  country: "US",
  currency: "USD",
  agency: "California Department of Tax and Fee Administration",
  rates: [
    ["California", "California Department of Tax and Fee Administration", 7.25],
    ["San Francisco County", "San Francisco County district tax", 1.375],
    ["Alameda County", "Alameda County district tax", 3]
  ],
  codes: [
    ["San Francisco, CA", "State and county", ["California", "San Francisco County"], []],
    ["Oakland, CA", "State and county", ["California", "Alameda County"], []],
    ["California", "State only", ["California"], []]
  ],
  address: {
    Line1: "2180 Folsom Street",
    City: "San Francisco",
    CountrySubDivisionCode: "CA",
    PostalCode: "94110",
    Country: "US"
  },
  timeZone: "America/Los_Angeles"
}

export const worlds: { readonly [name in WorldName]: World } = {
  US: unitedStates,
  "US automated": { ...unitedStates, name: "US automated", isAutomated: true },
  CA: {
    name: "CA",
    country: "CA",
    currency: "CAD",
    agency: "Canada Revenue Agency",
    taxWord: "GST/HST",
    rates: [
      ["HST (ON)", "HST (ON)", 13],
      ["HST (ON) Purchases", "HST (ON) on purchases", 13],
      ["GST", "GST", 5],
      ["GST Purchases", "GST on purchases", 5],
      ["PST (BC)", "PST (BC)", 7],
      ["Zero-rated", "Zero-rated", 0]
    ],
    codes: [
      ["HST ON", "HST ON", ["HST (ON)"], ["HST (ON) Purchases"]],
      ["GST/PST BC", "GST/PST BC", ["GST", "PST (BC)"], ["GST Purchases"]],
      ["Zero-rated", "Zero-rated", ["Zero-rated"], ["Zero-rated"]]
    ],
    address: {
      Line1: "410 Queen Street West",
      City: "Toronto",
      CountrySubDivisionCode: "ON",
      PostalCode: "M5V 2A5",
      Country: "CA"
    },
    timeZone: "America/Toronto"
  },
  GB: {
    name: "GB",
    country: "GB",
    currency: "GBP",
    agency: "HM Revenue & Customs",
    taxWord: "VAT",
    rates: [
      ["20.0% S (Sales)", "Standard rate on sales", 20],
      ["20.0% S (Purchases)", "Standard rate on purchases", 20],
      ["5.0% R (Sales)", "Reduced rate on sales", 5],
      ["5.0% R (Purchases)", "Reduced rate on purchases", 5],
      ["0.0% Z", "Zero-rated", 0]
    ],
    codes: [
      ["20.0% S", "Standard", ["20.0% S (Sales)"], ["20.0% S (Purchases)"]],
      ["5.0% R", "Reduced", ["5.0% R (Sales)"], ["5.0% R (Purchases)"]],
      ["0.0% Z", "Zero-rated", ["0.0% Z"], ["0.0% Z"]]
    ],
    address: { Line1: "14 Wharf Lane", City: "Leeds", PostalCode: "LS1 4DY", Country: "GB" },
    timeZone: "Europe/London"
  },
  AU: {
    name: "AU",
    country: "AU",
    currency: "AUD",
    agency: "Australian Taxation Office",
    taxWord: "GST",
    rates: [
      ["GST (Sales)", "GST on sales", 10],
      ["GST (Purchases)", "GST on purchases", 10],
      ["GST free", "GST free", 0]
    ],
    codes: [
      ["GST", "GST", ["GST (Sales)"], ["GST (Purchases)"]],
      ["GST free", "GST free", ["GST free"], ["GST free"]]
    ],
    address: {
      Line1: "88 Collins Street",
      City: "Melbourne",
      CountrySubDivisionCode: "VIC",
      PostalCode: "3000",
      Country: "AU"
    },
    timeZone: "Australia/Melbourne"
  }
}

const isWorldName = (name: unknown): name is WorldName => typeof name === "string" && name in worlds

export const putWorld = (account: Account, { currency, name }: World): void =>
  account.put("world", "1", { name, currency })

export const worldOf = (account: Account): World => {
  const name = account.get("world", "1")?.name
  return isWorldName(name) ? worlds[name] : unitedStates
}

export const isUnitedStates = (account: Account): boolean => worldOf(account).country === "US"

export type Side = "SalesTaxRateList" | "PurchaseTaxRateList"

const ratesOf = (account: Account, code: string | undefined, side: Side) =>
  partsAt(partAt((code === undefined ? undefined : account.get("TaxCode", code)) ?? {}, side), "TaxRateDetail").map(
    (detail) => {
      const id = refAt(detail, "TaxRateRef") ?? ""
      return { id, percent: amountAt(account.get("TaxRate", id) ?? {}, "RateValue") }
    }
  )

/** What an amount with the tax of a code is of one without. */
const shareOf = (account: Account, code: string | undefined, side: Side) =>
  ratesOf(account, code, side).reduce((share, { percent }) => share.plus(percent.div(100)), new Decimal(1))

/** Tax of a code on an amount, rate by rate. */
export const taxLines = (
  account: Account,
  txn: Doc,
  code: string | undefined,
  base: Decimal,
  side: Side
): ReadonlyArray<Doc> =>
  base.isZero()
    ? []
    : ratesOf(account, code, side).map(({ id, percent }) => ({
        Amount: moneyOf(txn, base.times(percent).div(100)),
        DetailType: "TaxLineDetail",
        TaxLineDetail: {
          TaxRateRef: { value: id },
          PercentBased: true,
          TaxPercent: percent.toNumber(),
          NetAmountTaxable: moneyOf(txn, base)
        }
      }))

/** The code that Intuit chooses for a sale by where it goes. */
export const automatedCode = (account: Account, place: Doc): string | undefined => {
  const [first, second, last] = account.all("TaxCode").filter(({ TaxGroup }) => TaxGroup === true)
  if (textAt(place, "CountrySubDivisionCode") !== "CA") return last?.Id === undefined ? undefined : String(last.Id)
  const chosen = textAt(place, "City") === "San Francisco" ? first : second
  return chosen?.Id === undefined ? undefined : String(chosen.Id)
}

const detailTypes = ["SalesItemLineDetail", "ItemBasedExpenseLineDetail", "AccountBasedExpenseLineDetail"]

/** The part of a line that has its tax code, if any. */
export const taxedDetailOf = (line: Doc): string | undefined => detailTypes.find((type) => line.DetailType === type)

/** A line of a document whose amounts include tax, with the amounts that it leaves out. */
export const withGross = (account: Account, txn: Doc, line: Doc, side: Side): Doc => {
  const type = taxedDetailOf(line)
  if (type === undefined || line.Amount === undefined) return line
  const detail = partAt(line, type)
  const share = shareOf(account, refAt(detail, "TaxCodeRef"), side)
  const gross = detail.TaxInclusiveAmt ?? moneyOf(txn, amountAt(line, "Amount").times(share))
  return { ...line, [type]: { ...detail, TaxInclusiveAmt: gross } }
}

/** Whether the amounts of a line with tax and without are those of its code, up to rounding. */
export const isGrossRight = (account: Account, line: Doc, side: Side): boolean => {
  const detail = partAt(line, taxedDetailOf(line) ?? "")
  if (detail.TaxInclusiveAmt === undefined) return true
  const gross = amountAt(line, "Amount").times(shareOf(account, refAt(detail, "TaxCodeRef"), side))
  return gross.minus(amountAt(detail, "TaxInclusiveAmt")).abs().lte(0.02)
}

/** Tax of lines that each name a code; `share`: what a discount leaves of them. */
export const taxOfLines = (
  account: Account,
  txn: Doc,
  lines: ReadonlyArray<Doc>,
  side: Side,
  share = new Decimal(1)
): Doc => {
  if (txn.GlobalTaxCalculation === "NotApplicable") return { TotalTax: 0 }
  const isInclusive = txn.GlobalTaxCalculation === "TaxInclusive"
  const bases = new Map<string, { net: Decimal; gross: Decimal }>()
  for (const line of lines) {
    const detail = partAt(line, taxedDetailOf(line) ?? "")
    const code = refAt(detail, "TaxCodeRef")
    if (code === undefined) continue
    const sum = bases.get(code) ?? { net: new Decimal(0), gross: new Decimal(0) }
    bases.set(code, {
      net: sum.net.plus(amountAt(line, "Amount")),
      gross: sum.gross.plus(amountAt(detail, "TaxInclusiveAmt"))
    })
  }
  const taxed = [...bases].map(([code, { gross, net }]) => {
    const TaxLine = taxLines(account, txn, code, net.times(share), side)
    const charged = TaxLine.reduce((sum, one) => sum.plus(amountAt(one, "Amount")), new Decimal(0))
    return { TaxLine, tax: isInclusive && share.equals(1) ? gross.minus(net) : charged }
  })
  return {
    TotalTax: moneyOf(
      txn,
      taxed.reduce((sum, { tax }) => sum.plus(tax), new Decimal(0))
    ),
    TaxLine: taxed.flatMap(({ TaxLine }) => TaxLine)
  }
}

/** For sample data: gives items and lines of documents the tax codes that a company outside the United States names. */
export const withSampleTaxes = (account: Account, body: Doc): Doc => {
  const codes = isUnitedStates(account) ? [] : account.all("TaxCode")
  const [usual, none] = [codes[0]?.Id, codes.at(-1)?.Id]
  if (usual === undefined) return body
  if (body.IncomeAccountRef !== undefined)
    return { ...body, SalesTaxCodeRef: { value: usual }, PurchaseTaxCodeRef: { value: usual } }
  if (!Array.isArray(body.Line) || body.GlobalTaxCalculation === "NotApplicable") return body
  const Line = partsAt(body, "Line").map((line) => {
    const type = taxedDetailOf(line)
    if (type === undefined) return line
    const detail = partAt(line, type)
    return {
      ...line,
      [type]: { ...detail, TaxCodeRef: { value: refAt(detail, "TaxCodeRef") === "NON" ? none : usual } }
    }
  })
  return { ...body, Line }
}
