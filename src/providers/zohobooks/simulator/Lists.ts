import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { partsAt } from "../../simulation/Docs.ts"
import { refused } from "../../simulation/table/Complaint.ts"
import { type Kind, type Rule, worked } from "../../simulation/table/Kind.ts"
import * as V from "../../simulation/table/Value.ts"
import { allTypes } from "./AccountTypes.ts"
import type { Module } from "./Answers.ts"
import { choice, flag, given, has, needs, nextId, number, opens, own, stamps, text, texts, to } from "./Fields.ts"
import { closingBalance } from "./Ledger.ts"

// Records that documents refer to. https://www.zoho.com/books/api/v3/contacts/

export const currencyOf = (account: Account, id: unknown): Doc => account.get("settings/currencies", String(id)) ?? {}

export const baseCurrency = (account: Account): string =>
  String(account.all("settings/currencies").find(({ is_base_currency }) => is_base_currency === true)?.currency_id)

const code = worked(
  "currency_code",
  "currency_code",
  text(),
  (account, { currency_id }) => currencyOf(account, currency_id).currency_code
)

/** Sets the organisation's own currency where none is given. */
const inBase: Rule = ({ account, after }) =>
  Either.right({ ...after, currency_id: after.currency_id === "" ? baseCurrency(account) : after.currency_id })

/** Refuses a name that another record of the kind has; customers and vendors are told apart. */
const unique =
  (kind: string, id: string, member: string, noun: string): Rule =>
  ({ account, after }) => {
    const name = String(after[member]).toLowerCase()
    const isTaken = account
      .all(kind)
      .some(
        (one) =>
          one[id] !== after[id] && one.contact_type === after.contact_type && String(one[member]).toLowerCase() === name
      )
    return isTaken ? refused(`The ${noun} "${String(after[member])}" already exists.`) : Either.right(after)
  }

const parentOf: Rule = ({ account, after }) => {
  const above = account.get("chartofaccounts", String(after.parent_account_id))
  return above !== undefined && (above.account_type !== after.account_type || above.account_id === after.account_id)
    ? refused("The parent account must be of the same account type.")
    : Either.right(after)
}

export interface Defined {
  readonly kind: Kind
  readonly module: Module
  /** Changes of state, by the path below a record; a text is a refusal. */
  readonly actions?: { readonly [path: string]: (account: Account, record: Doc) => Doc | string }
  /** Why a record cannot be deleted. */
  readonly stays?: (account: Account, record: Doc) => string | undefined
  /** Effects of a write, or of a deletion. */
  readonly follow?: (account: Account, record: Doc | undefined, before: Doc | undefined) => void
}

const mentions = (value: unknown, id: string): boolean => JSON.stringify(value)?.includes(`"${id}"`)

/** Kinds whose records refer to others. */
const documents = [
  "invoices",
  "bills",
  "creditnotes",
  "customerpayments",
  "vendorpayments",
  "expenses",
  "journals",
  "purchaseorders"
]

/** Refuses to delete a record that a transaction mentions. */
const used =
  (id: string, noun: string, ...more: ReadonlyArray<string>) =>
  (account: Account, record: Doc) =>
    [...documents, ...more].some((kind) =>
      account.all(kind).some((one) => one[id] !== record[id] && mentions(one, String(record[id])))
    )
      ? `This ${noun} cannot be deleted because it is associated with transactions.`
      : undefined

export const accounts: Defined = {
  kind: {
    name: "chartofaccounts",
    id: "account_id",
    nextId,
    stamps,
    sorts: ["account_name", "account_type"],
    fields: [
      own("account_id"),
      needs("account_name", V.text("string", { filled: true, most: 100 })),
      opens("account_code", text()),
      needs("account_type", choice(...allTypes)),
      given("currency_id", to("settings/currencies")),
      code,
      opens("description", text(500)),
      opens("parent_account_id", to("chartofaccounts")),
      has("show_on_dashboard", flag, false),
      { ...own("is_active"), initial: true },
      { ...own("is_system_account"), initial: false },
      { ...own("is_user_created"), initial: true },
      worked("closing_balance", "closing_balance", number, closingBalance),
      own("created_time"),
      own("last_modified_time")
    ],
    rules: [inBase, unique("chartofaccounts", "account_id", "account_name", "account"), parentOf]
  },
  module: {
    one: "chart_of_account",
    list: "chartofaccounts",
    noun: "Account",
    listed: [
      "account_id",
      "account_name",
      "account_code",
      "account_type",
      "description",
      "is_user_created",
      "is_system_account",
      "is_active",
      "parent_account_id",
      "created_time",
      "last_modified_time"
    ],
    // a read has the balance, and neither stamps nor currency
    envelope: (
      { closing_balance, is_system_account, is_user_created: ______, show_on_dashboard: _, ...record },
      isRead
    ) => {
      const { created_time: __, currency_code: ___, currency_id: ____, last_modified_time: _____, ...known } = record
      return { chart_of_account: isRead ? { ...known, closing_balance, is_system_account } : record }
    }
  },
  actions: {
    active: (_, record) => ({ ...record, is_active: true }),
    inactive: (_, record) =>
      record.is_system_account === true ? "System accounts cannot be made inactive." : { ...record, is_active: false }
  },
  stays: (account, record) =>
    record.is_system_account === true
      ? "System accounts cannot be deleted."
      : used("account_id", "account", "chartofaccounts", "items", "postings")(account, record)
}

export const person = V.object(
  "object",
  {
    contact_person_id: text(),
    salutation: text(25),
    first_name: text(),
    last_name: text(),
    email: text(),
    phone: text(50),
    mobile: text(50),
    designation: text(50),
    department: text(50),
    skype: text(50),
    communication_preference: V.object("object", { is_sms_enabled: flag, is_whatsapp_enabled: flag }, [], {}),
    is_primary_contact: flag
  },
  [],
  {
    contact_person_id: "",
    designation: "",
    department: "",
    skype: "",
    communication_preference: { is_sms_enabled: false, is_whatsapp_enabled: false },
    salutation: "",
    first_name: "",
    last_name: "",
    email: "",
    phone: "",
    mobile: "",
    is_primary_contact: false
  }
)

/** Gives contact persons ids, and makes the first the primary one where none is. */
const people: Rule = ({ account, after }) => {
  const all = partsAt(after, "contact_persons")
  const primary = Math.max(
    0,
    all.findIndex(({ is_primary_contact }) => is_primary_contact === true)
  )
  return Either.right({
    ...after,
    contact_persons: all.map((one, index) => ({
      ...one,
      contact_person_id: one.contact_person_id === "" ? nextId(account) : one.contact_person_id,
      is_primary_contact: index === primary
    }))
  })
}

const ofPrimary = (member: string) =>
  worked(
    member,
    member,
    text(),
    (_, record) =>
      partsAt(record, "contact_persons").find(({ is_primary_contact }) => is_primary_contact === true)?.[member] ?? ""
  )

const address = texts(
  "attention",
  "address",
  "street2",
  "city",
  "state",
  "state_code",
  "zip",
  "country",
  "fax",
  "phone"
)

export const contacts: Defined = {
  kind: {
    name: "contacts",
    id: "contact_id",
    nextId,
    stamps,
    sorts: ["contact_name", "first_name", "last_name", "email", "created_time", "last_modified_time"],
    fields: [
      own("contact_id"),
      needs("contact_name", V.text("string", { filled: true, most: 200 })),
      opens("company_name", text(200)),
      given("contact_type", choice("customer", "vendor"), "customer"),
      opens("website", text()),
      given("currency_id", to("settings/currencies")),
      code,
      has("payment_terms", V.number("number", { whole: true }), 0),
      opens("payment_terms_label", text()),
      opens("notes", text(500)),
      has("billing_address", address, {}),
      has("shipping_address", address, {}),
      has("contact_persons", V.list("array", person), []),
      ofPrimary("first_name"),
      ofPrimary("last_name"),
      ofPrimary("email"),
      ofPrimary("phone"),
      ofPrimary("mobile"),
      { ...own("status"), initial: "active" },
      own("created_time"),
      own("last_modified_time")
    ],
    rules: [inBase, people, unique("contacts", "contact_id", "contact_name", "contact")]
  },
  module: {
    one: "contact",
    list: "contacts",
    noun: "Contact",
    listed: [
      "contact_id",
      "contact_name",
      "company_name",
      "contact_type",
      "status",
      "payment_terms",
      "payment_terms_label",
      "currency_id",
      "currency_code",
      "first_name",
      "last_name",
      "email",
      "phone",
      "mobile",
      "created_time",
      "last_modified_time"
    ]
  },
  actions: {
    active: (_, record) => ({ ...record, status: "active" }),
    inactive: (_, record) => ({ ...record, status: "inactive" })
  },
  stays: used("contact_id", "contact")
}

const money = V.number("number", { least: 0 })

export const items: Defined = {
  kind: {
    name: "items",
    id: "item_id",
    nextId,
    stamps,
    sorts: ["name", "rate", "tax_name"],
    fields: [
      own("item_id"),
      needs("name", V.text("string", { filled: true, most: 100 })),
      needs("rate", money),
      opens("description", text(2000)),
      opens("sku", text()),
      opens("unit", text()),
      given("product_type", choice("goods", "service", "digital_service"), "goods"),
      has("item_type", choice("sales", "purchases", "sales_and_purchases", "inventory"), "sales"),
      opens("account_id", to("chartofaccounts")),
      opens("purchase_rate", money),
      opens("purchase_account_id", to("chartofaccounts")),
      opens("purchase_description", text(2000)),
      opens("inventory_account_id", to("chartofaccounts")),
      opens("tax_id", to("settings/taxes")),
      worked(
        "tax_name",
        "tax_name",
        text(),
        (account, { tax_id }) => account.get("settings/taxes", String(tax_id))?.tax_name ?? ""
      ),
      worked(
        "tax_percentage",
        "tax_percentage",
        number,
        (account, { tax_id }) => account.get("settings/taxes", String(tax_id))?.tax_percentage ?? ""
      ),
      { ...own("status"), initial: "active" },
      own("created_time"),
      own("last_modified_time")
    ],
    rules: [
      unique("items", "item_id", "name", "item"),
      ({ after }) =>
        after.item_type === "inventory" && after.inventory_account_id === ""
          ? refused("Please enter a value for inventory_account_id")
          : Either.right(after)
    ]
  },
  module: {
    one: "item",
    list: "items",
    noun: "Item",
    listed: [
      "item_id",
      "name",
      "status",
      "description",
      "rate",
      "unit",
      "tax_id",
      "tax_name",
      "tax_percentage",
      "sku",
      "product_type",
      "item_type",
      "account_id",
      "purchase_rate",
      "purchase_account_id",
      "created_time",
      "last_modified_time"
    ]
  },
  actions: {
    active: (_, record) => ({ ...record, status: "active" }),
    inactive: (_, record) => ({ ...record, status: "inactive" })
  },
  stays: used("item_id", "item")
}

export const taxes: Defined = {
  kind: {
    name: "settings/taxes",
    id: "tax_id",
    nextId,
    stamps: () => ({}),
    sorts: [],
    fields: [
      own("tax_id"),
      needs("tax_name", V.text("string", { filled: true, most: 50 })),
      needs("tax_percentage", V.number("number", { least: 0, most: 100 })),
      has("tax_type", choice("tax", "compound_tax"), "tax"),
      opens("country_code", text(2)),
      has("is_value_added", flag, false)
    ],
    rules: [unique("settings/taxes", "tax_id", "tax_name", "tax")]
  },
  module: {
    one: "tax",
    list: "taxes",
    noun: "Tax",
    listed: ["tax_id", "tax_name", "tax_percentage", "tax_type", "is_value_added"],
    envelope: (record) => ({ tax: [record] })
  },
  stays: used("tax_id", "tax", "items")
}
