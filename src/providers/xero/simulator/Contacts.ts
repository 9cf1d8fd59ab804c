import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { compact, partsAt, textAt } from "../../simulation/Docs.ts"
import { type Checked, complain } from "./Answers.ts"
import { isFound, listIn } from "./Collections.ts"
import { common, type Fields, flag, id, number, one, own, part, parts, text, uuid } from "./Fields.ts"
import { cleared, type Depth, idOf, isOfApp, isWhole, keep, type Kind, names, viewOf } from "./Kind.ts"
import { currenciesOf } from "./Organisation.ts"

// https://developer.xero.com/documentation/api/accounting/contacts

const terms: Fields = {
  Day: number,
  Type: one("DAYSAFTERBILLDATE", "DAYSAFTERBILLMONTH", "OFCURRENTMONTH", "OFFOLLOWINGMONTH")
}
const lineAmountTypes = one("INCLUSIVE", "EXCLUSIVE", "NONE")

export const contactFields: Fields = {
  ...common,
  ContactID: id,
  MergedToContactID: own(id),
  ContactNumber: text(50),
  AccountNumber: text(50),
  ContactStatus: one("ACTIVE", "ARCHIVED", "GDPRREQUEST"),
  Name: text(255),
  FirstName: text(255),
  LastName: text(255),
  CompanyNumber: text(50),
  EmailAddress: text(255),
  ContactPersons: parts({
    FirstName: text(255),
    LastName: text(255),
    EmailAddress: text(255),
    IncludeInEmails: flag
  }),
  BankAccountDetails: text(),
  TaxNumber: text(50),
  TaxNumberType: one("SSN", "EIN", "ITIN", "ATIN"),
  AccountsReceivableTaxType: text(),
  AccountsPayableTaxType: text(),
  Addresses: parts({
    AddressType: one("POBOX", "STREET"),
    AddressLine1: text(500),
    AddressLine2: text(500),
    AddressLine3: text(500),
    AddressLine4: text(500),
    City: text(255),
    Region: text(255),
    PostalCode: text(50),
    Country: text(50),
    AttentionTo: text(255)
  }),
  Phones: parts({
    PhoneType: one("DEFAULT", "DDI", "MOBILE", "FAX", "OFFICE"),
    PhoneNumber: text(50),
    PhoneAreaCode: text(10),
    PhoneCountryCode: text(20)
  }),
  IsSupplier: own(flag),
  IsCustomer: own(flag),
  SalesDefaultLineAmountType: lineAmountTypes,
  PurchasesDefaultLineAmountType: lineAmountTypes,
  DefaultCurrency: text(),
  XeroNetworkKey: text(),
  SalesDefaultAccountCode: text(),
  PurchasesDefaultAccountCode: text(),
  PaymentTerms: part({ Bills: part(terms), Sales: part(terms) }),
  ContactGroups: own(parts({})),
  Website: own(text()),
  Discount: own(number)
}

const labels = names("contact name")
const numbers = names("contact number")

const phoneTypes = ["DDI", "DEFAULT", "FAX", "MOBILE"]

/** Merges members by type: a body replaces the types that it names. */
const merged = (member: string, type: string, current: Doc | undefined, given: Doc): ReadonlyArray<Doc> => {
  const told = new Map(partsAt(given, member).map((one) => [one[type], cleared(one)]))
  return [...partsAt(current ?? {}, member).filter((one) => !told.has(one[type])), ...told.values()]
}

const complaints = (account: Account, draft: Doc): ReadonlyArray<string> => {
  const { ContactID, ContactNumber, ContactStatus, DefaultCurrency, EmailAddress, Name } = draft
  const isTaken = (owner: string | undefined) => owner !== undefined && owner !== ContactID
  return [
    ...(Name === undefined ? ["Contact Name cannot be empty."] : []),
    ...(ContactStatus === "ACTIVE" && isTaken(labels.ownerOf(account, String(Name)))
      ? [
          `The contact name ${String(Name)} is already assigned to another contact. The contact name must be unique across all active contacts.`
        ]
      : []),
    ...(ContactNumber !== undefined && isTaken(numbers.ownerOf(account, String(ContactNumber)))
      ? ["The Contact Number already exists. Please enter a different Contact Number."]
      : []),
    ...(typeof EmailAddress === "string" && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(EmailAddress)
      ? ["Email address must be valid."]
      : []),
    ...(typeof DefaultCurrency === "string" && currenciesOf(account)[DefaultCurrency] === undefined
      ? [`Organisation is not subscribed to currency ${DefaultCurrency}`]
      : []),
    ...(ContactStatus === "GDPRREQUEST" ? ["The contact status is not valid."] : []),
    ...(partsAt(draft, "ContactPersons").length > 5 ? ["A contact can have at most 5 contact persons."] : [])
  ]
}

const save = (account: Account, given: Doc, current: Doc | undefined): Checked<() => Doc> => {
  const draft: Doc = cleared({
    ContactStatus: "ACTIVE",
    IsSupplier: false,
    IsCustomer: false,
    ...current,
    ...given,
    Addresses: merged("Addresses", "AddressType", current, given),
    Phones: merged("Phones", "PhoneType", current, given),
    ContactID: idOf(contacts, current)
  })
  const messages = complaints(account, draft)
  if (messages.length > 0) return complain(...messages)
  return Either.right(() => {
    const owner = String(draft.ContactID)
    const isActive = draft.ContactStatus === "ACTIVE"
    labels.move(account, owner, textAt(current ?? {}, "Name"), isActive ? textAt(draft, "Name") : undefined)
    numbers.move(account, owner, textAt(current ?? {}, "ContactNumber"), textAt(draft, "ContactNumber"))
    return keep(account, contacts, draft)
  })
}

const empty = { City: "", Region: "", PostalCode: "", Country: "" }

/** Both types of addresses; one that nobody ever filled in has only its type in contacts of the app. */
const addresses = (doc: Doc): ReadonlyArray<Doc> =>
  ["STREET", "POBOX"].map((AddressType) => {
    const held = partsAt(doc, "Addresses").find((one) => one.AddressType === AddressType)
    return held === undefined && isOfApp(doc) ? { AddressType } : { AddressType, ...empty, ...held }
  })

const noNumber = { PhoneNumber: "", PhoneAreaCode: "", PhoneCountryCode: "" }

const phones = (doc: Doc): ReadonlyArray<Doc> => {
  const known = partsAt(doc, "Phones")
  return [
    ...phoneTypes.map((PhoneType) => {
      const held = known.find((one) => one.PhoneType === PhoneType)
      return held === undefined && isOfApp(doc) ? { PhoneType } : { PhoneType, ...noNumber, ...held }
    }),
    ...known.filter(({ PhoneType }) => PhoneType === "OFFICE")
  ]
}

/** Lists without pages leave the details out. */
const details = new Set([
  "PaymentTerms",
  "ContactPersons",
  "SalesDefaultLineAmountType",
  "PurchasesDefaultLineAmountType",
  "SalesDefaultAccountCode",
  "PurchasesDefaultAccountCode",
  "XeroNetworkKey"
])

const searched = ["Name", "FirstName", "LastName", "ContactNumber", "CompanyNumber", "EmailAddress"]

export const contacts: Kind = {
  name: "Contacts",
  entity: "Contact",
  id: "ContactID",
  fields: contactFields,
  pages: "asked",
  modifiedSince: true,
  parameters: ["IDs", "includeArchived", "searchTerm"],
  listed: (doc, query) =>
    (doc.ContactStatus === "ACTIVE" || query.get("includeArchived") === "true") &&
    listIn(query, "IDs")?.includes(String(doc.ContactID)) !== false &&
    isFound(doc, searched, query),
  view: (account, doc, depth) => ({
    ...(isOfApp(doc) ? {} : { EmailAddress: "", BankAccountDetails: "" }),
    ...(depth === "list" ? {} : { ContactPersons: [] }),
    ...(depth === "written" ? { SalesTrackingCategories: [], PurchasesTrackingCategories: [] } : {}),
    ...(depth === "list" ? Object.fromEntries(Object.entries(doc).filter(([name]) => !details.has(name))) : doc),
    Addresses: addresses(doc),
    Phones: phones(doc),
    ContactGroups: [],
    HasAttachments: account.get("attached", String(doc.ContactID)) !== undefined,
    HasValidationErrors: false
  }),
  // a path may name a contact by its number
  named: (account, key) => account.get("Contact", numbers.ownerOf(account, key) ?? ""),
  creates: true,
  updates: "both",
  matching: (account, given) =>
    account.get(
      "Contact",
      numbers.ownerOf(account, textAt(given, "ContactNumber") ?? "") ??
        labels.ownerOf(account, textAt(given, "Name") ?? "") ??
        ""
    ),
  save
}

const unidentified =
  "The Contact must contain at least 1 of the following elements to identify the contact: Name, ContactID, ContactNumber"

/** Finds the contact that a document's body names; creates it under a new name. */
export const contactIn = (account: Account, given: Doc): Checked<() => Doc> => {
  const contactId = textAt(given, "ContactID")
  const held = contactId === undefined ? contacts.matching?.(account, given) : account.get("Contact", contactId)
  if (held !== undefined) {
    return held.ContactStatus === "ACTIVE"
      ? Either.right(() => held)
      : complain("The contact is archived and cannot be used in transactions.")
  }
  if (contactId !== undefined && uuid.test(contactId)) return complain("The contact could not be found.")
  return given.Name === undefined ? complain(unidentified) : save(account, given, undefined)
}

const none: ReadonlyArray<Doc> = []

/** The contact as documents show it: whole where a document is whole, else little more than its name. */
export const contactRef = (account: Account, contactId: unknown, depth: Depth): Doc => {
  const held = account.get("Contact", String(contactId)) ?? {}
  if (isWhole(depth)) {
    const { HasAttachments: _files, ...whole } = viewOf(contacts, account, held, "alone")
    return whole
  }
  return compact({
    ContactID: contactId,
    ContactNumber: held.ContactNumber,
    Name: held.Name,
    Addresses: none,
    Phones: none,
    ContactGroups: none,
    ContactPersons: none,
    HasValidationErrors: false
  })
}

/** Marks a contact as customer or supplier once it has a document of that side; this does not count as a change. */
export const deals = (account: Account, contactId: unknown, side: "IsCustomer" | "IsSupplier"): void => {
  const held = account.get("Contact", String(contactId))
  if (held !== undefined && held[side] !== true) account.put("Contact", String(contactId), { ...held, [side]: true })
}
