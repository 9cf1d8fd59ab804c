import { addressColumns } from "./AddressBooks.ts"
import { flag, instant, ref, type Select, text } from "./Select.ts"

const address = (alias: string, place: string) => ({
  alias,
  sql: `LEFT JOIN subsidiary${place}address ${alias} ON ${alias}.nkey = s.${place}address`
})

/** Subsidiaries with their addresses, each of which is in a table of its own. */
export const subsidiaries: Select = {
  from: "subsidiary s",
  joins: [address("m", "main"), address("h", "shipping"), address("r", "return")],
  columns: {
    id: text("s.id"),
    name: text("s.name"),
    legalName: text("s.legalname"),
    federalIdNumber: text("s.federalidnumber"),
    currency: ref("s.currency"),
    url: text("s.url"),
    fax: text("s.fax"),
    isInactive: flag("s.isinactive"),
    lastModifiedDate: instant("s.lastmodifieddate"),
    ...addressColumns("m", "mainAddress."),
    ...addressColumns("h", "shippingAddress."),
    ...addressColumns("r", "returnAddress.")
  },
  order: "s.id"
}
