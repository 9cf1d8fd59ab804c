import type { EncodeContext } from "../../mapping/Transform.ts"
import { isId } from "./Soql.ts"

/**
 * First three characters of the ids of a type, which tell what a reference that may lead to several types leads to.
 * https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_calls_describesobjects_describesobjectresult.htm (keyPrefix)
 */
const prefixes = { Account: "001", Contact: "003", Opportunity: "006", Lead: "00Q" } as const

export type Kind = keyof typeof prefixes

export const isOf = (kind: Kind, id: unknown): boolean => typeof id === "string" && id.startsWith(prefixes[kind])

/** The id where it is one of the kind. */
export const ofKind = (kind: Kind, id: unknown): unknown => (isOf(kind, id) ? id : undefined)

const article = (kind: Kind) => (/^[AO]/.test(kind) ? "an" : "a")

/** Whether a value of a body can be the id of a record of a kind, or null; refused where it cannot. */
export const fits = (kind: Kind, value: unknown, path: string, { refuse }: EncodeContext): boolean => {
  if (value === null || (isOf(kind, value) && isId(String(value)))) return true
  refuse(path, `must be the id of ${article(kind)} ${kind}: 15 or 18 letters and digits, ${prefixes[kind]} first`)
  return false
}
