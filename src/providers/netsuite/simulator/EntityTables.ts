import type { Account, Doc } from "../../simulation/Account.ts"
import { partAt, partsAt, textAt } from "../../simulation/Docs.ts"
import { column, id, ofType, someOf, type Source, sourceOf, sources, type Table } from "./Columns.ts"
import { showsBooks } from "./Editions.ts"
import { entities } from "./Entities.ts"
import { country, type Fields, idAt, text } from "./Fields.ts"
import { lists } from "./Lists.ts"
import type { RecordType } from "./RecordType.ts"

// Tables about entities and subsidiaries: addresses, and which subsidiaries they are of.

const addressFields: Fields = {
  addressee: text(),
  attention: text(),
  addrPhone: text(),
  addr1: text(),
  addr2: text(),
  addr3: text(),
  city: text(),
  state: text(),
  zip: text(),
  country
}

/** The key of an address: of the record it belongs to, and its place there. */
const keyOf = (doc: Doc, place: unknown) => `${String(doc.id)}0${String(place)}`

const addressColumns: Table["columns"] = {
  ...someOf(addressFields, Object.keys(addressFields)),
  id: id((doc) => doc.nkey),
  nkey: id((doc) => doc.nkey),
  recordowner: id((doc) => doc.owner),
  // states are free text here
  dropdownstate: column(() => undefined)
}

/** The address book of an entity. */
const entriesOf = (doc: Doc): ReadonlyArray<Doc> =>
  partsAt(doc, "addressBook").map((entry) => ({
    ...entry,
    owner: doc.id,
    nkey: keyOf(doc, entry.id),
    address: partAt(entry, "addressBookAddress")
  }))

const rowsOf = ofType((_, entries): ReadonlyArray<Source> =>
  entries.flatMap(([, doc]) => entriesOf(doc).map((entry) => ({ doc: entry })))
)

const addressesOf = ofType((type, entries) => {
  const found = entries.flatMap(([, doc]) =>
    entriesOf(doc).map((entry) => ({ doc: { ...partAt(entry, "address"), nkey: entry.nkey, owner: entry.owner } }))
  )
  return { type, rows: found, byKey: new Map(found.map((source) => [String(source.doc.nkey), source])) }
})

const bookColumns: Table["columns"] = {
  entity: id((doc) => doc.owner, ["customer", "vendor", "employee"]),
  internalid: id((doc) => String(doc.internalId)),
  label: column((doc) => doc.label),
  defaultbilling: column((doc) => doc.defaultBilling === true),
  defaultshipping: column((doc) => doc.defaultShipping === true),
  addressbookaddress: id((doc) => doc.nkey)
}

const bookTables = (type: RecordType): ReadonlyArray<readonly [string, Table]> => [
  [
    `${type.name}addressbook`,
    {
      columns: bookColumns,
      rows: (account) => (showsBooks(account) ? rowsOf(account, type) : []),
      keys: {
        entity: (account, value) =>
          showsBooks(account)
            ? sourceOf(account, [type], value).flatMap(({ doc }) => entriesOf(doc).map((entry) => ({ doc: entry })))
            : []
      }
    }
  ],
  [
    `${type.name}addressbookentityaddress`,
    {
      columns: addressColumns,
      rows: (account) => (showsBooks(account) ? addressesOf(account, type).rows : []),
      keys: {
        nkey: (account, value) => {
          const found = showsBooks(account) ? addressesOf(account, type).byKey.get(value) : undefined
          return found === undefined ? [] : [found]
        }
      }
    }
  ],
  [
    `${type.name}subsidiaryrelationship`,
    {
      columns: {
        entity: id((doc) => doc.id),
        subsidiary: id((doc) => idAt(doc, "subsidiary"), ["subsidiary"]),
        isprimarysub: column(() => true),
        primarycurrency: id((doc) => idAt(doc, "currency"), ["currency"])
      },
      rows: (account) => sources(account, [type]),
      keys: { entity: (account, value) => sourceOf(account, [type], value) }
    }
  ]
]

/** Entities with an address book. */
const addressed = entities.filter(({ fields }) => fields.addressBook !== undefined)

const usualKey = (use: string) => (doc: Doc) => {
  const entry = entriesOf(doc).find((one) => one[use] === true)
  return entry?.nkey
}

/** The keys of an entity's usual addresses. */
export const usualAddresses: Table["columns"] = {
  defaultbillingaddress: id(usualKey("defaultBilling")),
  defaultshippingaddress: id(usualKey("defaultShipping"))
}

const stages: { readonly [status: string]: string } = { "6": "Lead", "7": "Prospect" }

export const searchStage = column((doc) => stages[idAt(doc, "entityStatus") ?? ""] ?? "Customer")

const places = ["main", "shipping", "return"]

const placeMember = (place: string) => `${place}Address`

const isSubsidiary = lists.filter(({ name }) => name === "subsidiary")

const placed = (account: Account, place: string): ReadonlyArray<Source> =>
  sources(account, isSubsidiary).flatMap(({ doc }) => {
    const address = partAt(doc, placeMember(place))
    return textAt(address, "addr1") === undefined && textAt(address, "city") === undefined
      ? []
      : [{ doc: { ...address, nkey: keyOf(doc, places.indexOf(place)), owner: doc.id } }]
  })

/** The keys of a subsidiary's addresses. */
export const subsidiaryAddresses: Table["columns"] = Object.fromEntries(
  places.map((place, index) => [
    `${place}address`,
    id((doc) => (doc[placeMember(place)] === undefined ? undefined : keyOf(doc, index)))
  ])
)

export const entityTables: ReadonlyArray<readonly [name: string, table: Table]> = [
  ...addressed.flatMap(bookTables),
  [
    "entityaddress",
    {
      columns: addressColumns,
      rows: (account) => addressed.flatMap((type) => addressesOf(account, type).rows),
      keys: {
        nkey: (account, value) =>
          addressed.flatMap((type) => {
            const found = addressesOf(account, type).byKey.get(value)
            return found === undefined ? [] : [found]
          })
      }
    }
  ],
  ...places.map((place): readonly [string, Table] => [
    `subsidiary${place}address`,
    { columns: addressColumns, rows: (account) => placed(account, place) }
  ])
]
