import { Company } from "../../canonical/crm/Company.ts"
import { getPath } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { location } from "./Location.ts"
import { records } from "./Records.ts"
import { firstOf, objectMapping, one, only } from "./Values.ts"

/** The host of an address; what is none stays as it is, for Attio to say so. */
const domain = one(
  "domain",
  (value) => value.domain,
  (website) => ({ domain: URL.canParse(String(website)) ? new URL(String(website)).hostname : website })
)

const category = one(
  "category",
  ({ option }) => getPath(option, "title"),
  (title) => ({ option: title })
)

// https://docs.attio.com/docs/standard-objects/standard-objects-companies
const mapping = objectMapping(Company, "companies", (of) => [
  of.field("name", "values.name", only("value", text)),
  of.field("description", "values.description", only("value", text)),
  // Attio finds it out by itself, and lets nobody write it
  of.readField("industry", "values.categories", category),
  firstOf(of, "website", "values.domains", domain),
  location(of),
  of.readField("last_activity_at", "values.last_interaction", only("interacted_at", dateTime))
])

export const company = (call: Caller) => records(call, mapping)
