import { computed, field, getPath, natives, readField } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { location } from "./Location.ts"
import { records } from "./Records.ts"
import { firstOf, objectMapping, only } from "./Values.ts"

/** The host of an address; what is none stays as it is, for Attio to say so. */
const hostOf = (website: unknown): string => {
  const text = String(website)
  return URL.canParse(text) ? new URL(text).hostname : text
}

// https://docs.attio.com/docs/standard-objects/standard-objects-companies
const mapping = objectMapping("companies", [
  field("name", "values.name", only("value", text)),
  field("description", "values.description", only("value", text)),
  // Attio finds it out by itself, and lets nobody write it
  computed({
    canonical: "industry",
    native: ["values.categories"],
    decode: ({ record }) =>
      natives(getPath(record, "values.categories")).map(({ option }) => getPath(option, "title"))[0] ?? null
  }),
  firstOf(
    "website",
    "domains",
    ({ domain }) => domain,
    (website) => ({ domain: hostOf(website) })
  ),
  location,
  readField("last_activity_at", "values.last_interaction", only("interacted_at", dateTime))
])

export const company = (call: Caller) => records(call, mapping)
