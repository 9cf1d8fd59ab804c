import { Effect } from "effect"
import type { Entries } from "../../mapping/Entries.ts"
import { type ComputedEntry, getPath } from "../../mapping/Mapping.ts"
import type { Caller } from "../base/Upstream.ts"
import type { BodyRequest, ResourceAdapter } from "../ProviderAdapter.ts"
import { once } from "./Common.ts"

/** Records of a lead, which is the company; it can be taken from the others that a body names. */

/** The records that are of a lead too, by the fields that name them, the more specific first. */
const others = [
  ["opportunity", "opportunity"],
  ["contact", "contact"]
] as const

type Other = (typeof others)[number][0]

const lookup = "lead_of_other"

const isId = (value: unknown): value is string => typeof value === "string" && /^\w+$/.test(value)

const namedIn = (body: BodyRequest["body"]): readonly [field: Other, kind: string] | undefined =>
  others.find(([field]) => typeof body[field] === "string" && body[field] !== "")

/** Finds the lead of a new record that names none. */
export const leadOfOther =
  (call: Caller): NonNullable<ResourceAdapter["related"]> =>
  ({ body, connection, mode }) => {
    const [field, kind] = namedIn(body) ?? []
    const id = field === undefined ? undefined : body[field]
    if (mode !== "create" || (body.account ?? null) !== null || !isId(id)) return Effect.succeed({})
    return call(connection, {
      operation: `${String(kind)}.get`,
      method: "GET",
      path: `/api/v1/${String(kind)}/:id/`,
      params: { id },
      query: { _fields: "id,lead_id" }
    }).pipe(
      Effect.map((answer) => ({ [lookup]: getPath(answer.body, "lead_id") })),
      Effect.catchIf(
        ({ reason }) => reason._tag === "Missing",
        () => Effect.succeed({})
      )
    )
  }

/** Says that Close makes a company for a new record that names none. https://developer.close.com/api/resources/contacts/create */
const alsoCreated =
  "is missing, and Close creates a company for a record without one. Send the id of a company to create none."

/** The lead of a record, which stays with it. Where it is not required, Close makes one for a record that names none. */
export const lead = (of: Pick<Entries<"account">, "computed">, isRequired = true): ComputedEntry<"account"> => {
  const entry = once(of, "account", "lead_id")
  return {
    ...entry,
    fills: true,
    encode: (value, encoding) => {
      const { body, current, lookups, prefix, refuse, set, warn } = encoding
      if (value !== null || current !== undefined) return entry.encode?.(value, encoding)
      const found = lookups[lookup]
      const [field] = namedIn(body) ?? []
      if (typeof found === "string") set("lead_id", found)
      if (!isRequired) {
        if (typeof found !== "string") warn(`${prefix}account`, "ALSO_CREATED", alsoCreated)
        return
      }
      if (typeof found === "string")
        warn(`${prefix}account`, "CHANGED", `is required; without one it is ${found}, that of the ${String(field)}`)
      else if (field !== undefined) refuse(prefix + field, `names no ${field} of this organization`)
      else refuse(`${prefix}account`, "is required by close")
    }
  }
}

/** The lead that Close makes tasks, notes and deals on. */
export const onLead = (call: Caller) =>
  ({
    related: leadOfOther(call),
    rules: [{ rule: "oneOf", fields: ["account", "opportunity", "contact"] }]
  }) satisfies Partial<ResourceAdapter>
