import { Schema } from "effect"
import { Invalid, ProviderError } from "../ProviderError.ts"

/** A step of a write: links of the record to records of another type, to be made and to be removed. */
export const Links = Schema.Struct({
  to: Schema.String,
  /** True for links of the primary kind, where there is one. */
  primary: Schema.Boolean,
  link: Schema.Array(Schema.String),
  unlink: Schema.Array(Schema.String)
})
export type Links = typeof Links.Type

export const isLinks = Schema.is(Links)

export const notLinkable = (to: string) =>
  new Invalid({ fields: { [`associations.${to}`]: "is not a record that HubSpot can link to" } })

/** HubSpot says of an unknown record at the far end of a link only that something is not there. */
export const blameLink = (to: string) => (error: ProviderError) =>
  error.reason._tag === "Missing" || (error.reason._tag === "Invalid" && Object.keys(error.reason.fields).length === 0)
    ? new ProviderError({ ...error, reason: notLinkable(to) })
    : error
