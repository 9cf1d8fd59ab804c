import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { accountTypes, systemDetails, typeOf } from "./AccountTypes.ts"
import {
  business,
  type Complaint,
  duplicateListName,
  duplicateName,
  missing,
  noAccountType,
  noName,
  type Outcome,
  otherTypeThanParent,
  refuse,
  systemAccountChanged,
  systemAccountInactive,
  wrongDetailType,
  wrongValue
} from "./Faults.ts"
import { amountAt, compact, currencyOf, homeOf, refAt, textAt } from "./Fields.ts"

/** Completes the record that a body describes with values that the books work out, or refuses it. */
export type Rule = (account: Account, draft: Doc, current: Doc | undefined) => Outcome<Doc>

const accept = (doc: Doc): Outcome<Doc> => Either.right(compact(doc))

const passOr = (complaints: ReadonlyArray<Complaint>, doc: () => Doc): Outcome<Doc> => {
  const [first, ...rest] = complaints
  return first === undefined ? accept(doc()) : refuse(first, ...rest)
}

/** Returns the id of the record of these entities, other than `self`, that already has a name. */
const holder = (
  account: Account,
  types: ReadonlyArray<string>,
  field: string,
  name: string,
  self: Doc
): string | undefined => {
  const wanted = name.toLowerCase()
  for (const type of types)
    for (const doc of account.all(type))
      if (textAt(doc, field)?.toLowerCase() === wanted && !(doc.Id === self.Id && type === self.type))
        return textAt(doc, "Id")
  return undefined
}

/** Names must not contain Intuit's separator of levels. */
const nameComplaints = (path: string, name: string): ReadonlyArray<Complaint> =>
  /[:\t\n]/.test(name) ? [wrongValue(path, "name without colon, tab or line break")] : []

const people = ["Customer", "Vendor", "Employee"]

/** Customers, vendors and employees share one list of names. */
const person =
  (type: string, complete: (account: Account, doc: Doc, current: Doc | undefined) => Doc): Rule =>
  (account, draft, current) => {
    const full = ["Title", "GivenName", "MiddleName", "FamilyName", "Suffix"]
      .flatMap((name) => textAt(draft, name) ?? [])
      .join(" ")
    const name = textAt(draft, "DisplayName") ?? (full === "" ? textAt(draft, "CompanyName") : full)
    if (name === undefined) return refuse(noName)
    const other = holder(account, people, "DisplayName", name, { Id: current?.Id, type })
    return passOr(
      [
        ...nameComplaints("DisplayName", name),
        ...(other === undefined ? [] : [duplicateName(other)]),
        ...currencyComplaints(draft, current)
      ],
      () =>
        complete(
          account,
          { ...draft, DisplayName: name, PrintOnCheckName: textAt(draft, "PrintOnCheckName") ?? name },
          current
        )
    )
  }

const currencyComplaints = (draft: Doc, current: Doc | undefined): ReadonlyArray<Complaint> => {
  const wanted = refAt(draft, "CurrencyRef")
  return current === undefined || wanted === undefined || wanted === refAt(current, "CurrencyRef")
    ? []
    : [business("You can't change the currency of a name or account once it is saved.")]
}

const withCurrency = (account: Account, draft: Doc, current: Doc | undefined): Doc => ({
  ...draft,
  CurrencyRef: current?.CurrencyRef ?? draft.CurrencyRef ?? { value: homeOf(account) }
})

/** The name `Parent:Child`, and its depth. */
const qualified = (account: Account, type: string, name: string, parent: string | undefined) => {
  const above = parent === undefined ? undefined : account.get(type, parent)
  const prefix = above === undefined ? undefined : (textAt(above, "FullyQualifiedName") ?? textAt(above, "Name"))
  return {
    FullyQualifiedName: prefix === undefined ? name : `${prefix}:${name}`,
    level: above === undefined ? 0 : amountAt(above, "Level").toNumber() + 1
  }
}

/** Rule for a list whose names can have levels; the member `under` marks a child. */
const levelled =
  (
    type: string,
    under: string,
    complete: (draft: Doc, current: Doc | undefined, account: Account) => readonly [ReadonlyArray<Complaint>, Doc]
  ): Rule =>
  (account, draft, current) => {
    const name = textAt(draft, "Name") ?? ""
    const parent = refAt(draft, "ParentRef")
    const { FullyQualifiedName, level } = qualified(account, type, name, parent)
    const other = holder(account, [type], "FullyQualifiedName", FullyQualifiedName, { Id: current?.Id, type })
    const [complaints, doc] = complete(draft, current, account)
    return passOr(
      [
        ...nameComplaints("Name", name),
        ...(other === undefined ? [] : [duplicateListName(other)]),
        ...(parent !== undefined && parent === current?.Id ? [business("A record can't be its own parent.")] : []),
        ...complaints
      ],
      () => ({
        ...doc,
        [under]: parent !== undefined,
        FullyQualifiedName,
        ...(type === "Item" && level > 0 ? { Level: level } : {})
      })
    )
  }

const flat =
  (type: string, field: string, complete: (draft: Doc) => readonly [ReadonlyArray<Complaint>, Doc]): Rule =>
  (account, draft, current) => {
    const other = holder(account, [type], field, textAt(draft, field) ?? "", { Id: current?.Id, type })
    const [complaints, doc] = complete(draft)
    return passOr([...(other === undefined ? [] : [duplicateListName(other)]), ...complaints], () => doc)
  }

/** Whether an account is on the balance sheet; income and expense accounts show no balance. */
export const isOnBalanceSheet = (account: Doc): boolean =>
  ["Asset", "Liability", "Equity"].includes(textAt(account, "Classification") ?? "")

/** Whether QuickBooks itself posts to an account: the first of a system detail type in its currency. */
const isSystem = (account: Account, one: Doc): boolean =>
  systemDetails.has(textAt(one, "AccountSubType")) &&
  account
    .all("Account")
    .find((other) => other.AccountSubType === one.AccountSubType && currencyOf(other) === currencyOf(one))?.Id ===
    one.Id

const accountRule = levelled("Account", "SubAccount", (draft, current, account) => {
  const subType = textAt(draft, "AccountSubType")
  const type = textAt(draft, "AccountType") ?? typeOf(subType)
  const known = type === undefined ? undefined : accountTypes[type]
  const isOurs = current === undefined || !isSystem(account, current)
  const above = account.get("Account", refAt(draft, "ParentRef") ?? "")
  const isElsewhere = known !== undefined && subType !== undefined && !known.subTypes.includes(subType)
  const complaints = [
    ...(known === undefined ? [noAccountType] : []),
    ...(isElsewhere ? [wrongDetailType(String(type), subType)] : []),
    ...(isOurs || draft.Active !== false ? [] : [systemAccountInactive]),
    ...(isOurs || (type === current.AccountType && subType === current.AccountSubType) ? [] : [systemAccountChanged]),
    ...(above === undefined || above.AccountType === type ? [] : [otherTypeThanParent]),
    ...(current !== undefined && type !== current.AccountType && amountAt(current, "CurrentBalance").abs().gt(0)
      ? [business("You can't change the type of an account that has a balance.")]
      : []),
    ...currencyComplaints(draft, current)
  ]
  return [
    complaints,
    {
      CurrentBalance: 0,
      CurrentBalanceWithSubAccounts: 0,
      ...withCurrency(account, draft, current),
      AccountType: type,
      Classification: known?.classification,
      AccountSubType: subType ?? known?.usual
    }
  ]
})

/** Fields that an item requires besides its name: accounts to post to and, for inventory, its stock. */
const itemNeeds: { readonly [type: string]: ReadonlyArray<string> } = {
  Service: ["IncomeAccountRef"],
  NonInventory: ["IncomeAccountRef"],
  Inventory: ["IncomeAccountRef", "ExpenseAccountRef", "AssetAccountRef", "InvStartDate", "QtyOnHand"],
  Category: [],
  Group: []
}

const itemRule = levelled("Item", "SubItem", (draft, current) => {
  const type = textAt(draft, "Type") ?? "Service"
  const isStock = type === "Inventory"
  return [
    [
      ...(itemNeeds[type] ?? []).filter((name) => draft[name] === undefined).map(missing),
      ...(type === "Group" && current === undefined ? [business("Bundles can't be created with the API.")] : []),
      ...(isStock && draft.TrackQtyOnHand !== true
        ? [
            business(
              "When you create an item, if Track quantity on hand is turned off, the item cannot be of type Inventory."
            )
          ]
        : []),
      ...(current !== undefined && current.Type !== type ? [business("You can't change the type of an item.")] : [])
    ],
    isStock ? draft : { ...draft, TrackQtyOnHand: false, QtyOnHand: undefined, InvStartDate: undefined }
  ]
})

const termRule = flat("Term", "Name", (draft) => {
  const isDated = draft.DayOfMonthDue !== undefined
  return [
    isDated && draft.DueDays !== undefined
      ? [business("A term is due after a number of days or on a day of the month, not both.")]
      : !isDated && draft.DueDays === undefined
        ? [missing("DueDays")]
        : [],
    { ...draft, Type: isDated ? "DATE_DRIVEN" : "STANDARD" }
  ]
})

const plain = (draft: Doc): readonly [ReadonlyArray<Complaint>, Doc] => [[], draft]

/** The rules of the name lists and of the company's own records, by entity. */
export const listRules: { readonly [entity: string]: Rule } = {
  Customer: person("Customer", (account, doc, current) => {
    const parent = refAt(doc, "ParentRef")
    const { FullyQualifiedName, level } = qualified(account, "Customer", textAt(doc, "DisplayName") ?? "", parent)
    return {
      Balance: 0,
      BalanceWithJobs: 0,
      IsProject: false,
      ...withCurrency(account, doc, current),
      FullyQualifiedName,
      Job: parent !== undefined,
      ...(parent === undefined ? {} : { Level: level })
    }
  }),
  Vendor: person("Vendor", (account, doc, current) => ({ Balance: 0, ...withCurrency(account, doc, current) })),
  Employee: person("Employee", (_, doc) => doc),
  Account: accountRule,
  Item: itemRule,
  Class: levelled("Class", "SubClass", plain),
  Department: levelled("Department", "SubDepartment", plain),
  Term: termRule,
  PaymentMethod: flat("PaymentMethod", "Name", plain),
  CompanyCurrency: flat("CompanyCurrency", "Code", plain),
  Attachable: (_, draft) =>
    draft.FileName === undefined && draft.Note === undefined ? refuse(missing("FileName")) : accept(draft),
  CompanyInfo: (_, draft) => accept(draft),
  Preferences: (_, draft) => accept(draft)
}
