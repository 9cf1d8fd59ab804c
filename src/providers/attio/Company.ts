import { Company } from "../../canonical/crm/Company.ts"
import { getPath, natives } from "../../mapping/Mapping.ts"
import { dateTime, text, type Transform } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { created, domain, named } from "./Filters.ts"
import { location } from "./Location.ts"
import { records } from "./Records.ts"
import { firstOf, notDated, objectMapping, one, only } from "./Values.ts"

const hostForm = /^([\p{L}\p{N}-]+\.)+[\p{L}-]{2,}$/u

/** The host of an address, which may be one by itself. */
const hostOf = (website: string) => {
  const address = [website, `https://${website}`].find((one) => /^https?:/i.test(one) && URL.canParse(one))
  const host = address === undefined ? website : new URL(address).hostname
  return hostForm.test(host) ? host : undefined
}

const host: Transform = {
  name: "domain",
  decode: (native) => natives(native)[0]?.domain ?? null,
  encode: (website, { warn }, path) => {
    const found = hostOf(String(website))
    if (found !== undefined) return [{ domain: found }]
    warn(path, "NOT_HELD", "is not held: Attio takes a domain, such as fernhill.example")
    return undefined
  }
}

const category = one(
  "category",
  ({ option }) => getPath(option, "title"),
  (title) => ({ option: title })
)

// https://docs.attio.com/docs/standard-objects/standard-objects-companies
const mapping = objectMapping(Company, (of) => [
  of.variant({
    nativeType: "companies",
    entries: [
      of.field("name", "values.name", only("value", text)),
      of.field("description", "values.description", only("value", text)),
      // Attio finds it out by itself, and lets nobody write it
      of.readField("industry", "values.categories", category),
      firstOf(of, "website", "values.domains", host),
      location(of),
      of.readField("last_activity_at", "values.last_interaction", only("interacted_at", dateTime))
    ],
    notHeld: {
      ...notDated,
      number_of_employees: "Attio holds a range of employees, such as 11-50, and no head count.",
      owner: "Attio companies have no owner attribute unless a workspace adds one.",
      phone_numbers: "Attio companies have no attribute for phone numbers unless a workspace adds one."
    }
  })
])

export const company = (call: Caller) => records(call, mapping, { ...created, name: named, domain })
