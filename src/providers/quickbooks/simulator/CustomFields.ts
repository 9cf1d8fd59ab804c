import type { Account, Doc } from "../../simulation/Account.ts"
import { business, type Complaint } from "./Faults.ts"
import { compact, type Field, one, partAt, parts, partsAt, required, text, textAt } from "./Fields.ts"

// Three texts on each sales form, and three on each purchase order, under names of the company's own.
// https://developer.intuit.com/app/developer/qbo/docs/workflows/create-custom-fields

export const customField: Field = parts("CustomField", {
  DefinitionId: required(text()),
  Name: text(),
  Type: one("StringType"),
  StringValue: text(31)
})

const slots = [1, 2, 3]

/** How the preferences say which are in use, and what they are called: `SalesFormsPrefs.UseSalesCustom1`. */
const preference = (place: string, kind: string, names: ReadonlyArray<string>): ReadonlyArray<Doc> => [
  {
    CustomField: slots.map((slot) => ({
      Name: `${place}.Use${kind}Custom${slot}`,
      Type: "BooleanType",
      BooleanValue: names[slot - 1] !== undefined
    }))
  },
  {
    CustomField: names.map((name, index) => ({
      Name: `${place}.${kind}CustomName${index + 1}`,
      Type: "StringType",
      StringValue: name
    }))
  }
]

export const salesFields = preference("SalesFormsPrefs", "Sales", ["Crew", "Site contact"])
export const purchaseFields = preference("PurchasePrefs", "Purchase", ["Requisition"])

/** Names of those that a form has in use, by their number. */
const namesOf = (account: Account, form: "sale" | "order"): ReadonlyMap<string, string> => {
  const preferences = account.get("Preferences", "1") ?? {}
  const kept =
    form === "sale"
      ? partsAt(partAt(preferences, "SalesFormsPrefs"), "CustomField")
      : partsAt(partAt(preferences, "VendorAndPurchasesPrefs"), "POCustomField")
  const all = kept.flatMap((group) => partsAt(group, "CustomField"))
  return new Map(
    all.flatMap((one) => {
      const [, slot] = /CustomName(\d)$/.exec(textAt(one, "Name") ?? "") ?? []
      return slot === undefined ? [] : [[slot, textAt(one, "StringValue") ?? ""] as const]
    })
  )
}

/** The custom fields of a form as they are kept, and what is wrong with them. */
export const customFieldsOf = (account: Account, form: "sale" | "order", draft: Doc) => {
  const names = namesOf(account, form)
  const given = partsAt(draft, "CustomField")
  const complaints = given.flatMap(({ DefinitionId }): ReadonlyArray<Complaint> =>
    names.has(String(DefinitionId)) ? [] : [business(`There is no custom field with the id ${String(DefinitionId)}.`)]
  )
  const kept = given.map(({ DefinitionId, StringValue }) =>
    compact({ DefinitionId, Name: names.get(String(DefinitionId)), Type: "StringType", StringValue })
  )
  return { complaints, doc: draft.CustomField === undefined ? {} : { CustomField: kept } }
}
