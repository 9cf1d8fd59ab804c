import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, partsAt, textAt } from "../../simulation/Docs.ts"
import { type Checked, complain } from "./Answers.ts"
import { type Fields, flag, number, one, own, parts, text } from "./Fields.ts"
import { cleared, type Kind, names } from "./Kind.ts"

// https://developer.xero.com/documentation/api/accounting/taxrates

const fields: Fields = {
  Name: text(50),
  TaxType: text(),
  Status: one("ACTIVE", "DELETED", "ARCHIVED", "PENDING"),
  ReportTaxType: text(),
  TaxComponents: parts({ Name: text(50), Rate: number, IsCompound: flag, IsNonRecoverable: flag }),
  CanApplyToAssets: own(flag),
  CanApplyToEquity: own(flag),
  CanApplyToExpenses: own(flag),
  CanApplyToLiabilities: own(flag),
  CanApplyToRevenue: own(flag),
  DisplayTaxRate: own(number),
  EffectiveRate: own(number)
}

const labels = names("tax rate name")

/** Components one beside the other, and those that compound on top of these. */
const effective = (components: ReadonlyArray<Doc>): number => {
  const sum = (isCompound: boolean) =>
    components
      .filter((one) => (one.IsCompound === true) === isCompound)
      .reduce((total, one) => total.plus(amountAt(one, "Rate")), new Decimal(0))
  const plain = sum(false)
  return plain
    .plus(sum(true).times(plain.plus(100)).div(100))
    .toDecimalPlaces(4, Decimal.ROUND_HALF_UP)
    .toNumber()
}

const nextType = (account: Account): string => {
  const last = account
    .all("TaxRate")
    .map(({ TaxType }) => Number(/^TAX(\d{3})$/.exec(String(TaxType))?.[1] ?? 0))
    .reduce((most, one) => Math.max(most, one), 0)
  return `TAX${String(last + 1).padStart(3, "0")}`
}

const complaints = (account: Account, draft: Doc, current: Doc | undefined): ReadonlyArray<string> => {
  const components = partsAt(draft, "TaxComponents")
  const owner = labels.ownerOf(account, String(draft.Name))
  return [
    ...(draft.Name === undefined ? ["Name must be specified."] : []),
    ...(owner !== undefined && owner !== current?.TaxType ? ["A tax rate with this name already exists."] : []),
    ...(components.length === 0 ? ["A tax rate must have at least one tax component."] : []),
    ...(components.some(({ Name, Rate }) => Name === undefined || Rate === undefined)
      ? ["Tax components must have a name and a rate."]
      : []),
    ...(components.some((one) => amountAt(one, "Rate").lt(0) || amountAt(one, "Rate").gt(100))
      ? ["Tax component rates must be between 0 and 100."]
      : []),
    ...(components.filter(({ IsCompound }) => IsCompound === true).length > 1
      ? ["Only one tax component can be compound."]
      : []),
    ...(draft.ReportTaxType === undefined ? [] : ["ReportTaxType is not used by this organisation."]),
    ...(current?.isSystem === true ? ["System tax rates cannot be updated."] : [])
  ]
}

const save = (account: Account, given: Doc, current: Doc | undefined): Checked<() => Doc> => {
  const draft = cleared({ Status: "ACTIVE", ...current, ...given })
  const messages = complaints(account, draft, current)
  if (messages.length > 0) return complain(...messages)
  return Either.right(() => {
    const TaxType = textAt(current ?? {}, "TaxType") ?? nextType(account)
    const rate = effective(partsAt(draft, "TaxComponents"))
    const doc = {
      CanApplyToAssets: true,
      CanApplyToEquity: true,
      CanApplyToExpenses: true,
      CanApplyToLiabilities: true,
      CanApplyToRevenue: true,
      ...draft,
      TaxType,
      TaxComponents: partsAt(draft, "TaxComponents").map((one) => ({
        IsCompound: false,
        IsNonRecoverable: false,
        ...one
      })),
      DisplayTaxRate: rate,
      EffectiveRate: rate
    }
    account.put("TaxRate", TaxType, doc)
    labels.move(
      account,
      TaxType,
      textAt(current ?? {}, "Name"),
      draft.Status === "DELETED" ? undefined : textAt(draft, "Name")
    )
    return doc
  })
}

export const taxRates: Kind = {
  name: "TaxRates",
  entity: "TaxRate",
  id: "TaxType",
  fields,
  listed: ({ Status }) => Status !== "DELETED",
  view: (_, { isSystem: _system, ...doc }) => doc,
  creates: true,
  updates: "all",
  matching: (account, given) => account.get("TaxRate", labels.ownerOf(account, textAt(given, "Name") ?? "") ?? ""),
  save
}
