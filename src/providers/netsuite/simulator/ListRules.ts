import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, partAt, partsAt, textAt } from "../../simulation/Docs.ts"
import { invalidValue, missingValue, type Outcome, refuse } from "./Answers.ts"
import { accountNamed, nextNumber, type Rule, specialAccount, sum, taxRateOf } from "./Books.ts"
import { country, idAt, nameOf } from "./Fields.ts"
import { fullName } from "./Labels.ts"

/** An address as it is printed. */
const printed = (address: Doc): string =>
  [
    ...["addressee", "attention", "addr1", "addr2", "addr3"].map((name) => textAt(address, name)),
    ["city", "state", "zip"].flatMap((name) => textAt(address, name) ?? []).join(" "),
    nameOf(country, idAt(address, "country") ?? "")
  ]
    .filter((line) => line !== undefined && line !== "")
    .join("\n")

const withText = (address: Doc): Doc => ({ ...address, addrText: printed(address) })

/** One address is where bills go, one where goods go: the last that says so. */
const addresses = (account: Account, draft: Doc): Doc => {
  const lines = partsAt(draft, "addressBook").map((line) => {
    const id = line.id ?? account.nextId()
    return { ...line, id, internalId: id, addressBookAddress: withText(partAt(line, "addressBookAddress")) }
  })
  const lastOf = (mark: string) => lines.findLastIndex((line: Doc) => line[mark] === true)
  const [billing, shipping] = [lastOf("defaultBilling"), lastOf("defaultShipping")]
  const addressBook = lines.map((line, index) => ({
    ...line,
    defaultBilling: index === billing,
    defaultShipping: index === shipping
  }))
  return {
    ...draft,
    addressBook,
    defaultAddress: textAt(addressBook[billing]?.addressBookAddress ?? {}, "addrText")
  }
}

const named = (doc: Doc): Outcome<Doc> =>
  doc.isPerson === true
    ? doc.firstName === undefined || doc.lastName === undefined
      ? refuse(missingValue(["Individual Name"]))
      : Either.right(doc)
    : doc.companyName === undefined
      ? refuse(missingValue(["Company Name"]))
      : Either.right(doc)

const entity =
  (kind: string, prefix: string): Rule =>
  (account, draft) => {
    const subsidiary = account.get("subsidiary", idAt(draft, "subsidiary") ?? "")
    return Either.right(
      compact({
        ...addresses(account, draft),
        entityId: draft.entityId ?? nextNumber(account, kind, prefix),
        currency: draft.currency ?? subsidiary?.currency
      })
    )
  }

const party =
  (kind: string, prefix: string): Rule =>
  (account, draft, current) =>
    Either.flatMap(named(draft), (doc) => entity(kind, prefix)(account, doc, current))

/** Projects belong to a customer, or to the company itself. */
const job: Rule = (account, draft) => {
  const customer = account.get("customer", idAt(draft, "parent") ?? "")
  return Either.right(
    compact({
      ...draft,
      entityId: draft.entityId ?? nextNumber(account, "job", "PRJ"),
      customer: draft.parent,
      subsidiary: draft.subsidiary ?? customer?.subsidiary ?? { id: "1" },
      currency: draft.currency ?? customer?.currency ?? { id: "1" }
    })
  )
}

/** No record is above itself. */
const isAbove = (account: Account, type: string, id: unknown, parent: string | undefined): boolean =>
  parent !== undefined && (parent === id || isAbove(account, type, id, idAt(account.get(type, parent) ?? {}, "parent")))

const nested =
  (type: string, member: string, more: (account: Account, doc: Doc) => Doc = (_, doc) => doc): Rule =>
  (account, draft, current) =>
    current !== undefined && isAbove(account, type, current.id, idAt(draft, "parent"))
      ? refuse(invalidValue(idAt(draft, "parent"), "parent"))
      : Either.right(compact({ ...more(account, draft), fullName: fullName(account, type, member, draft) }))

const ledgerAccount = nested("account", "acctName", (account, doc) => ({
  ...doc,
  subsidiary: doc.subsidiary ?? [{ id: "1" }],
  currency: doc.currency ?? (["Bank", "CredCard"].includes(idAt(doc, "acctType") ?? "") ? { id: "1" } : undefined),
  displayNameWithHierarchy: `${textAt(doc, "acctNumber") ?? ""} ${fullName(account, "account", "acctName", doc)}`.trim()
}))

const term: Rule = (_, draft) => {
  const due = draft.dateDriven === true ? "dayOfMonthNetDue" : "daysUntilNetDue"
  return draft[due] === undefined
    ? refuse(missingValue([draft.dateDriven === true ? "Day of Month Net Due" : "Days Till Net Due"]))
    : Either.right(draft)
}

const accountingPeriod: Rule = (_, draft) =>
  String(draft.startDate) > String(draft.endDate)
    ? refuse(invalidValue(draft.endDate, "endDate"))
    : Either.right({ ...draft, isPosting: draft.isYear !== true && draft.isQuarter !== true })

/** The parts of a group add up, and each is on the net amount. */
const taxGroup: Rule = (account, draft) => {
  const taxItem = partsAt(draft, "taxItem").map((line) => ({
    ...line,
    rate: taxRateOf(account, idAt(line, "taxName")).toNumber(),
    basis: line.basis ?? 100
  }))
  return Either.right({ ...draft, taxItem, rate: sum(taxItem, "rate").toNumber() })
}

/** Accounts that an item does not say are those of the accounting preferences. */
const item =
  (sides: ReadonlyArray<"sold" | "expensed" | "stocked">): Rule =>
  (account, draft) =>
    Either.right(
      compact({
        ...draft,
        subsidiary: draft.subsidiary ?? [{ id: "1" }],
        includeChildren: draft.includeChildren ?? true,
        ...(sides.includes("sold")
          ? {
              incomeAccount: draft.incomeAccount ?? accountNamed(account, "Sales"),
              price: partsAt(draft, "price").map((line) => ({
                quantity: { value: 0 },
                ...line,
                priceLevelName: account.get("priceLevel", idAt(line, "priceLevel") ?? "")?.name
              }))
            }
          : {}),
        ...(sides.includes("expensed")
          ? { expenseAccount: draft.expenseAccount ?? accountNamed(account, "Purchases") }
          : {}),
        ...(sides.includes("stocked")
          ? {
              assetAccount: draft.assetAccount ?? specialAccount(account, "InvtAsset"),
              cogsAccount: draft.cogsAccount ?? specialAccount(account, "COGS"),
              costingMethod: draft.costingMethod ?? { id: "AVG" },
              averageCost: amountAt(draft, "cost").toNumber(),
              quantityOnHand: draft.quantityOnHand ?? 0
            }
          : {})
      })
    )

const located: Rule = (account, draft, current) =>
  nested("location", "name", (_, doc) =>
    doc.mainAddress === undefined ? doc : { ...doc, mainAddress: withText(partAt(doc, "mainAddress")) }
  )(account, draft, current)

const subsidiary: Rule = (account, draft, current) =>
  nested("subsidiary", "name", (_, doc) => ({
    ...doc,
    ...Object.fromEntries(
      ["mainAddress", "shippingAddress", "returnAddress"]
        .filter((name) => doc[name] !== undefined)
        .map((name) => [name, withText(partAt(doc, name))])
    )
  }))(account, draft, current)

/** The rules of everything that is no transaction. */
export const listRules: { readonly [type: string]: Rule } = {
  customer: party("customer", "CUST"),
  vendor: party("vendor", "VEN"),
  employee: entity("employee", "EMP"),
  job,
  account: ledgerAccount,
  subsidiary,
  classification: nested("classification", "name"),
  department: nested("department", "name"),
  location: located,
  term,
  accountingPeriod,
  taxGroup,
  inventoryItem: item(["sold", "stocked"]),
  nonInventorySaleItem: item(["sold"]),
  nonInventoryPurchaseItem: item(["expensed"]),
  nonInventoryResaleItem: item(["sold", "expensed"]),
  serviceSaleItem: item(["sold"]),
  servicePurchaseItem: item(["expensed"]),
  serviceResaleItem: item(["sold", "expensed"]),
  otherChargeSaleItem: item(["sold"]),
  discountItem: item([]),
  subtotalItem: item([]),
  descriptionItem: item([]),
  itemGroup: item([])
}
