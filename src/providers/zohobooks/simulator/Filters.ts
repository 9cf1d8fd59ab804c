import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Field } from "../../simulation/table/Kind.ts"
import { type Filter, formed, oneOf, type Reader, where } from "../../simulation/table/Query.ts"
import { isDay } from "../../simulation/Period.ts"
import type { Defined } from "./Lists.ts"

/** Parameters of a module's lists, as its reference page names them: https://www.zoho.com/books/api/v3/invoices/ */
interface Parameters {
  /** Texts, each with parameters for its beginning and for a part of it. */
  readonly texts?: ReadonlyArray<string>
  /** Ids of records of other modules. */
  readonly links?: ReadonlyArray<string>
  /** Days by parameter, each with its ranges. */
  readonly days?: { readonly [parameter: string]: string }
  /** Words of a member. */
  readonly words?: { readonly [parameter: string]: ReadonlyArray<string> }
  /** Words with a meaning of their own. */
  readonly filterBy?: { readonly [word: string]: (record: Doc) => boolean }
  /** Members that the search looks through. */
  readonly searched?: ReadonlyArray<string>
  /** Whether a list of changes begins after the time given, or at it. */
  readonly changed?: "after" | "from"
}

const statuses = {
  "Status.All": () => true,
  "Status.Active": ({ status }: Doc) => status === "active",
  "Status.Inactive": ({ status }: Doc) => status === "inactive"
}

const date = { date: "date" }

const tables: { readonly [kind: string]: Parameters } = {
  contacts: {
    texts: ["contact_name", "company_name", "first_name", "last_name", "email", "phone"],
    words: { contact_type: ["customer", "vendor"] },
    filterBy: statuses,
    searched: ["contact_name", "notes"]
  },
  chartofaccounts: { changed: "after" },
  items: { texts: ["name", "description"], filterBy: statuses, searched: ["name", "description"] },
  invoices: {
    texts: ["invoice_number", "reference_number", "customer_name"],
    links: ["customer_id"],
    days: { date: "date", due_date: "due_date", created_date: "created_time" },
    words: { status: ["sent", "draft", "overdue", "paid", "void", "unpaid", "partially_paid", "viewed"] },
    searched: ["invoice_number", "reference_number", "customer_name"],
    changed: "after"
  },
  bills: {
    texts: ["bill_number", "reference_number", "vendor_name"],
    links: ["vendor_id"],
    days: date,
    words: { status: ["paid", "open", "overdue", "void", "partially_paid"] },
    searched: ["bill_number", "reference_number", "vendor_name"],
    changed: "from"
  },
  creditnotes: {
    texts: ["creditnote_number", "reference_number", "customer_name"],
    links: ["customer_id"],
    days: date,
    words: { status: ["open", "closed", "void", "draft"] },
    searched: ["creditnote_number", "customer_name", "reference_number"]
  },
  customerpayments: {
    texts: ["customer_name", "reference_number"],
    links: ["customer_id"],
    days: date,
    searched: ["reference_number", "customer_name", "description"]
  },
  vendorpayments: {
    texts: ["vendor_name", "reference_number", "description"],
    links: ["vendor_id"],
    days: date,
    searched: ["reference_number", "vendor_name", "description"],
    changed: "after"
  },
  expenses: {
    texts: ["description", "reference_number", "account_name"],
    links: ["customer_id", "vendor_id", "paid_through_account_id"],
    days: date,
    searched: ["account_name", "description"]
  },
  journals: {
    texts: ["entry_number", "reference_number", "notes"],
    days: { date: "journal_date" },
    changed: "after"
  },
  purchaseorders: {
    texts: ["purchaseorder_number", "reference_number", "vendor_name"],
    links: ["vendor_id"],
    words: { status: ["draft", "open", "billed", "cancelled"] },
    searched: ["purchaseorder_number", "reference_number", "vendor_name"],
    changed: "after"
  }
}

/** Returns the value that a record shows for a member. */
const shownBy = (fields: ReadonlyArray<Field>) => (account: Account, record: Doc, member: string) =>
  fields.find(({ code }) => code === member)?.compute?.(account, record) ?? record[member]

const short: Reader<string> = (text) =>
  text.length > 100 ? Either.left({ is: "length", bound: 100 } as const) : Either.right(text.toLowerCase())

const textTests: { readonly [variant: string]: (held: string, asked: string) => boolean } = {
  "": (held, asked) => held === asked,
  _startswith: (held, asked) => held.startsWith(asked),
  _contains: (held, asked) => held.includes(asked)
}

const dayTests: { readonly [variant: string]: (held: string, asked: string) => boolean } = {
  "": (held, asked) => held === asked,
  _start: (held, asked) => held >= asked,
  _end: (held, asked) => held <= asked,
  _before: (held, asked) => held < asked,
  _after: (held, asked) => held > asked
}

const dayText = formed("yyyy-mm-dd", (text) => (isDay(text) ? text : undefined))

const idText = formed("id", (text) => (/^\d+$/.test(text) ? text : undefined))

const stampText = formed("yyyy-mm-ddThh:mm:ss-utc", (text) => {
  const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{2}:?\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
})

/** Statuses of unpaid invoices. */
const unpaid: ReadonlyArray<unknown> = ["sent", "viewed", "overdue", "partially_paid"]

const isIn = (held: unknown, word: string) => (word === "unpaid" ? unpaid.includes(held) : held === word)

const filtersOf = (fields: ReadonlyArray<Field>, of: Parameters): ReadonlyArray<Filter> => {
  const shown = shownBy(fields)
  const { changed, days = {}, filterBy, links = [], searched = [], texts = [], words = {} } = of
  return [
    ...texts.flatMap((member) =>
      Object.entries(textTests).map(([variant, holds]) =>
        where(`${member}${variant}`, short, (record, asked, account) =>
          holds(String(shown(account, record, member) ?? "").toLowerCase(), asked)
        )
      )
    ),
    ...links.map((member) => where(member, idText, (record, id, account) => shown(account, record, member) === id)),
    ...Object.entries(days).flatMap(([parameter, member]) =>
      Object.entries(dayTests).map(([variant, holds]) =>
        where(`${parameter}${variant}`, dayText, (record, asked) => {
          const held = String(record[member] ?? "").slice(0, 10)
          return held !== "" && holds(held, asked)
        })
      )
    ),
    ...Object.entries(words).map(([member, choices]) =>
      where(member, oneOf(choices), (record, word, account) => isIn(shown(account, record, member), word))
    ),
    ...(filterBy === undefined
      ? []
      : [where("filter_by", oneOf(Object.keys(filterBy)), (record, word) => filterBy[word]?.(record) === true)]),
    ...(searched.length === 0
      ? []
      : [
          where("search_text", short, (record, asked, account) =>
            searched.some((member) =>
              String(shown(account, record, member) ?? "")
                .toLowerCase()
                .includes(asked)
            )
          )
        ]),
    ...(changed === undefined
      ? []
      : [
          where("last_modified_time", stampText, (record, time) => {
            const held = Date.parse(String(record.last_modified_time))
            return changed === "from" ? held >= time : held > time
          })
        ])
  ]
}

/** A module whose lists take their documented parameters. */
export const withFilters = (defined: Defined): Defined => {
  const { kind } = defined
  return { ...defined, kind: { ...kind, filters: filtersOf(kind.fields, tables[kind.name] ?? {}) } }
}
