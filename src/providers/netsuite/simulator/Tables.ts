import { partsAt } from "../../simulation/Docs.ts"
import { column, columnsOf, id, own, someOf, sources, type Table, table } from "./Columns.ts"
import { entities } from "./Entities.ts"
import { type Fields, idAt } from "./Fields.ts"
import { items, subtypeOf } from "./Items.ts"
import { entityName, fullName, labelOf } from "./Labels.ts"
import { lists } from "./Lists.ts"
import { deleted } from "./Records.ts"
import { transactionTables } from "./TransactionTables.ts"

// What SuiteQL queries: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_156257770590.html

const typeNamed = (name: string) => [...entities, ...lists].filter((type) => type.name === name)

/** Sums that only the record service tells. */
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
  type: column((doc) => String(doc.type).toLowerCase()),
  name: column((doc) => doc.name),
  deleteddate: column((doc) => doc.deletedDate, true)
}

const priceColumns: Table["columns"] = {
  item: own,
  currency: id((doc) => idAt(doc, "currencyPage"), ["currency"]),
  pricelevel: id((doc) => idAt(doc, "priceLevel"), ["priceLevel"]),
  pricelevelname: column((doc) => doc.priceLevelName),
  unitprice: column((doc) => doc.price)
}

const allItems = items.reduce<Fields>((fields, type) => ({ ...fields, ...type.fields }), {})

export const tables: ReadonlyMap<string, Table> = new Map([
  simple("customer", named),
  simple("vendor", named),
  simple("employee", named),
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
      type: column((_, { type }) => type?.code)
    })
  ],
  simple(
    "account",
    {
      accountsearchdisplayname: column((doc, _, account) => labelOf(account, "account", doc)),
      accountsearchdisplaynamecopy: column((doc) => doc.acctName),
      fullname: column((doc, _, account) => fullName(account, "account", "acctName", doc)),
      subsidiary: column((doc) =>
        partsAt(doc, "subsidiary")
          .map((one) => String(one.id))
          .join(", ")
      )
    },
    "acctName"
  ),
  [
    "item",
    table(items, {
      ...columnsOf(allItems, "price"),
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
        )
    }
  ],
  simple("subsidiary"),
  simple("currency"),
  simple("term"),
  simple("paymentMethod"),
  simple("classification"),
  simple("department"),
  simple("location"),
  simple("accountingPeriod"),
  simple("salesTaxItem"),
  simple("taxGroup"),
  simple("priceLevel"),
  simple("expenseCategory"),
  ...transactionTables,
  ["deletedrecord", { columns: deletedColumns, rows: (account) => account.all(deleted).map((doc) => ({ doc })) }]
])
