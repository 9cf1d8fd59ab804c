import { partsAt } from "../../simulation/Docs.ts"
import { column, columnsOf, id, own, someOf, sourceOf, sources, type Table, table } from "./Columns.ts"
import { booksOf } from "./Editions.ts"
import { entities } from "./Entities.ts"
import { entityTables, searchStage, subsidiaryAddresses, usualAddresses } from "./EntityTables.ts"
import { type Fields, idAt } from "./Fields.ts"
import { items, subtypeOf } from "./Items.ts"
import { entityName, fullName, labelOf, titleOf } from "./Labels.ts"
import { inLanguage } from "./Languages.ts"
import { lists } from "./Lists.ts"
import { deleted } from "./Records.ts"
import { transactionTables } from "./TransactionTables.ts"

// Tables of SuiteQL: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_156257770590.html

const typeNamed = (name: string) => [...entities, ...lists].filter((type) => type.name === name)

/** Sums that only the record service returns. */
const reckoned = ["balance", "overdueBalance", "unbilledOrders"]

const simple = (
  name: string,
  more: Table["columns"] = {},
  ...hidden: ReadonlyArray<string>
): readonly [string, Table] => {
  const types = typeNamed(name)
  return [name.toLowerCase(), table(types, { ...columnsOf(types[0]?.fields ?? {}, ...reckoned, ...hidden), ...more })]
}

const named = { altname: column((doc) => entityName(doc)) }

const deletedColumns: Table["columns"] = {
  recordid: own,
  // as users know it: https://timdietrich.me/blog/netsuite-suiteql-query-deleted-records/
  type: column((doc, _, account) => inLanguage(account, titleOf(String(doc.type)))),
  name: column((doc) => doc.name),
  deleteddate: { ...column((doc) => doc.deletedDate, true), isUnzoned: true }
}

const priceColumns: Table["columns"] = {
  item: own,
  currency: id((doc) => idAt(doc, "currencyPage"), ["currency"]),
  pricelevel: id((doc) => idAt(doc, "priceLevel"), ["priceLevel"]),
  pricelevelname: column((doc) => doc.priceLevelName),
  quantity: column(() => 1),
  unitprice: column((doc) => doc.price)
}

const bookColumns: Table["columns"] = { id: own, isprimary: column((doc) => doc.isPrimary === true) }

const subsidiaryList = column((doc) =>
  partsAt(doc, "subsidiary")
    .map((one) => String(one.id))
    .join(", ")
)

const allItems = items.reduce<Fields>((fields, type) => ({ ...fields, ...type.fields }), {})

export const tables: ReadonlyMap<string, Table> = new Map([
  simple("customer", { ...named, ...usualAddresses, searchstage: searchStage }),
  simple("vendor", { ...named, ...usualAddresses }),
  simple("employee", { ...named, ...usualAddresses }),
  simple("job", named),
  [
    "entity",
    table(entities, {
      ...someOf(entities[0]?.fields ?? {}, [
        "entityId",
        "externalId",
        "email",
        "phone",
        "isInactive",
        "isPerson",
        "comments",
        "dateCreated",
        "lastModifiedDate"
      ]),
      ...named,
      type: column((_, { type }) => type?.code),
      ...Object.fromEntries(
        entities.map(({ name }) => [
          name === "job" ? "project" : name,
          id((doc, { type }) => (type?.name === name ? doc.id : undefined))
        ])
      )
    })
  ],
  simple(
    "account",
    {
      accountsearchdisplayname: column((doc, _, account) => labelOf(account, "account", doc)),
      accountsearchdisplaynamecopy: column((doc) => doc.acctName),
      fullname: column((doc, _, account) => fullName(account, "account", "acctName", doc)),
      subsidiary: subsidiaryList
    },
    "acctName"
  ),
  [
    "item",
    table(items, {
      ...columnsOf(allItems, "price", "cogsAccount", "salesDescription", "salesTaxCode", "purchaseTaxCode"),
      description: column((doc) => doc.salesDescription ?? doc.description),
      // cost of goods sold for stock; else the expense of purchases
      expenseaccount: id((doc) => idAt(doc, "cogsAccount") ?? idAt(doc, "expenseAccount"), ["account"]),
      subsidiary: subsidiaryList,
      fullname: column((doc) => doc.itemId),
      subtype: column((_, { type }) => subtypeOf(type?.name ?? "")),
      itemtype: column((_, { type }) => type?.code)
    })
  ],
  [
    "pricing",
    {
      columns: priceColumns,
      rows: (account) =>
        sources(account, items).flatMap(({ doc }) =>
          partsAt(doc, "price").map((line) => ({ doc: { ...line, id: doc.id } }))
        ),
      keys: {
        item: (account, value) =>
          sourceOf(account, items, value).flatMap(({ doc }) =>
            partsAt(doc, "price").map((line) => ({ doc: { ...line, id: doc.id } }))
          )
      }
    }
  ],
  simple("subsidiary", subsidiaryAddresses),
  simple("currency"),
  simple("term"),
  simple("paymentMethod"),
  simple("classification"),
  simple("department"),
  simple("location"),
  simple("accountingPeriod"),
  simple("salesTaxItem", { rate: column(({ rate }) => (typeof rate === "number" ? rate / 100 : undefined)) }),
  simple("priceLevel"),
  simple("expenseCategory"),
  ...entityTables,
  ...transactionTables,
  [
    "accountingbook",
    { columns: bookColumns, rows: (account) => booksOf(account).map((id, i) => ({ doc: { id, isPrimary: i === 0 } })) }
  ],
  [
    "unitstypeuom",
    {
      columns: { internalid: own, conversionrate: column((doc) => doc.conversionRate) },
      rows: (account) => account.all("unit").map((doc) => ({ doc })),
      keys: {
        internalid: (account, value) => {
          const doc = account.get("unit", value)
          return doc === undefined ? [] : [{ doc }]
        }
      }
    }
  ],
  ["deletedrecord", { columns: deletedColumns, rows: (account) => account.all(deleted).map((doc) => ({ doc })) }]
])
