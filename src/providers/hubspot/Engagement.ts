import type { Entries } from "../../mapping/Entries.ts"
import { htmlContent } from "../../mapping/ContentEntries.ts"
import { text } from "../../mapping/Transform.ts"
import { association, associations } from "./Association.ts"

/** Content of an activity, in a property that HubSpot shows as HTML. */
export const body = (of: Entries<"content" | "content_type">, property: string) =>
  htmlContent(of, `properties.${property}`, { blank: "" })

/** Owner of an activity, and the records that it is about; people are in `contacts`, or one of them in `contact`. */
export const engagement = <N extends "contact" | "contacts">(
  of: Entries<"account" | "opportunity" | "owner" | N>,
  people: N
) => [
  of.field("owner", "properties.hubspot_owner_id", text),
  people === "contact" ? association(of, people, { to: "contacts" }) : associations(of, people, { to: "contacts" }),
  association(of, "account", { to: "companies" }),
  association(of, "opportunity", { to: "deals" })
]
