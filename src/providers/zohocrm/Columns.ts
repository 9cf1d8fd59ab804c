import { type Effect, Option } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { getPath, isNative, type Native } from "../../mapping/Mapping.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ProviderError } from "../ProviderError.ts"
import { settings } from "./Fields.ts"

/** How a query gives whole records. */
export interface Columns {
  readonly names: ReadonlyArray<string>
  /** A row of the answer, as a list would show the record. */
  readonly recordOf: (row: Native) => Native
}

/** The fields of a module in one account, as its metadata have them. */
export type Metadata = (connection: ConnectionRef, module: string) => Effect.Effect<unknown, ProviderError>

/** https://www.zoho.com/crm/developer/docs/api/v8/field-meta.html */
export const loadMetadata =
  (call: Caller): Metadata =>
  (connection, module) =>
    settings(call, connection)("fields", "fields", { module })

/** Most columns of a query. https://www.zoho.com/crm/developer/docs/api/v8/COQL-Limitations.html */
const most = 50

/** Kinds of fields that a query shows as a list does. */
const plain = new Set(
  "autonumber bigint boolean currency date datetime double email integer percent phone picklist text textarea website".split(
    " "
  )
)

/** Column that names the records of a module to those that lead to them. */
const nameOf: { readonly [module: string]: string } = {
  Accounts: "Account_Name",
  Contacts: "Full_Name",
  Deals: "Deal_Name",
  Leads: "Full_Name"
}

/** Parts of a lookup, by the columns of what it leads to. */
const partsOf = (field: Native): { readonly [part: string]: string } | undefined => {
  if (field.data_type === "ownerlookup") return { name: "full_name", email: "email" }
  const name = field.data_type === "lookup" ? nameOf[String(getPath(field, "lookup.module.api_name"))] : undefined
  return name === undefined ? undefined : { name }
}

/**
 * The columns of all that a variant reads; none where a query does not show some of it. A query gives the ids alone of
 * lookups: what else lists show of those are columns of their own. It fails over a field that the account lacks.
 * https://www.zoho.com/crm/developer/docs/api/v8/COQL-Overview.html
 */
export const columnsOf = (
  { reads }: CompiledVariant,
  besides: ReadonlyArray<string>,
  metadata: ReadonlyArray<Native>
): Option.Option<Columns> => {
  const known = new Map(metadata.map((field) => [String(field.api_name), field]))
  const wanted = new Set([...reads.map((path) => path.replace(/\..*$/, "")), ...besides])
  wanted.delete("id")
  const names = ["id"]
  const lookups: Array<readonly [field: string, parts: { readonly [part: string]: string }]> = []
  for (const name of wanted) {
    // no field, but what stands beside one
    if (name.startsWith("$")) return Option.none()
    const field = known.get(name)
    if (field === undefined) continue
    names.push(name)
    if (plain.has(String(field.data_type))) continue
    const parts = partsOf(field)
    if (parts === undefined) return Option.none()
    lookups.push([name, parts])
    names.push(...Object.values(parts).map((part) => `${name}.${part}`))
  }
  if (names.length > most) return Option.none()
  const shown = names.filter((name) => !name.includes("."))
  return Option.some({
    names,
    recordOf: (row) => {
      const record: { [field: string]: unknown } = Object.fromEntries(shown.map((name) => [name, row[name] ?? null]))
      for (const [name, parts] of lookups) {
        const { [name]: link } = row
        if (!isNative(link)) continue
        const told = Object.entries(parts).map(([part, column]) => [part, row[`${name}.${column}`] ?? null] as const)
        record[name] = { ...Object.fromEntries(told), id: link.id }
      }
      return record
    }
  })
}
