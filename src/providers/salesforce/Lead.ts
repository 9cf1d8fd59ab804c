import { Lead } from "../../canonical/crm/Lead.ts"
import { computed } from "../../mapping/Entries.ts"
import { madeName } from "../../mapping/MadeName.ts"
import type { Native } from "../../mapping/Mapping.ts"
import { day, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { beginsName, both, compare, digits, equals, not, oneOf, refers } from "./Conditions.ts"
import { address, deleted, emailAddress, mappingOf, stamps } from "./Common.ts"
import type { Org } from "./Org.ts"
import { searched } from "./Search.ts"
import { sobject } from "./SObjects.ts"
import { statusWith } from "./Statuses.ts"

/** https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_lead.htm */
const type = "Lead"

type Meaning = "OPEN" | "CLOSED" | "UNQUALIFIED" | "QUALIFIED"

/** Statuses are the org's own: new orgs have the first two, older ones are recognized by their first word. */
const meaningOf = (status: unknown): Meaning => {
  const words = String(status).toLowerCase()
  if (words === "qualified") return "QUALIFIED"
  if (words === "unqualified") return "UNQUALIFIED"
  return words.startsWith("closed") ? "CLOSED" : "OPEN"
}

const isClosed = compare("Status", "LIKE", "'Closed%'")
const isConverted = compare("IsConverted", "=", "true")
const isNotConverted = compare("IsConverted", "=", "false")

/** The same in SOQL. */
const statuses = {
  QUALIFIED: [isConverted, compare("Status", "=", "'Qualified'")],
  UNQUALIFIED: [both(isNotConverted, compare("Status", "=", "'Unqualified'"))],
  CLOSED: [both(isNotConverted, isClosed)],
  OPEN: [
    both(
      isNotConverted,
      compare("Status", "!=", "null"),
      compare("Status", "NOT IN", "('Qualified', 'Unqualified')"),
      not(isClosed)
    )
  ]
}

/** Closest meanings without converting the lead, where no status of the org has the wanted one; else the status stays. */
const closest: { readonly [wanted in Meaning]: ReadonlyArray<Meaning> } = {
  OPEN: ["OPEN"],
  CLOSED: ["CLOSED", "UNQUALIFIED"],
  UNQUALIFIED: ["UNQUALIFIED", "CLOSED"],
  QUALIFIED: ["QUALIFIED", "OPEN"]
}

const isMeaning = (value: unknown): value is Meaning => typeof value === "string" && value in closest

const statusOf = ({ IsConverted, Status }: Native) =>
  IsConverted === true ? "QUALIFIED" : typeof Status === "string" ? meaningOf(Status) : null

/** The meaning of the native status; a lead keeps its status while that is the closest. */
const status = computed({
  canonical: "status",
  native: ["Status", "IsConverted"],
  decode: ({ record }) => statusOf(record),
  needsCurrent: true,
  encodeLookups: ["leadStatuses"],
  encode: (value, { body, current, lookups, prefix, set, warn }) => {
    if (body.status === null) warn(`${prefix}status`, "CHANGED", "cannot be cleared: a lead always has one")
    if (!isMeaning(value)) return
    const held = current === undefined ? null : statusOf(current.record)
    const free = (meaning: Meaning) =>
      statusWith(lookups.leadStatuses, (one) => one.IsConverted !== true && meaningOf(one.ApiName) === meaning)
    const wanted = closest[value].find((meaning) => meaning === held || free(meaning) !== undefined)
    if (wanted !== value) {
      warn(`${prefix}status`, "STATUS_NOT_REACHED", `is held as ${wanted ?? String(held)}: the org has no such status`)
    }
    if (wanted !== undefined && wanted !== held) set("Status", free(wanted))
  }
})

const mapping = mappingOf(Lead, (of) => [
  of.variant({
    nativeType: type,
    entries: [
      ...stamps(of),
      deleted(of),
      madeName(of, { name: "Name", first_name: "FirstName", last_name: "LastName" }),
      of.field("first_name", "FirstName", text),
      of.field("last_name", "LastName", text),
      of.field("company", "Company", text),
      of.field("title", "Title", text),
      of.field("lead_source", "LeadSource", text),
      status(of),
      of.field("owner", "OwnerId", text),
      of.slots("addresses", "address_type", (of) => [address(of, "", null)]),
      emailAddress(of),
      of.labelled("phone_numbers", "phone_number_type", "phone_number", { WORK: "Phone", MOBILE: "MobilePhone" }, text),
      of.readField("converted_date", "ConvertedDate", day),
      of.readField("converted_contact", "ConvertedContactId", text),
      of.readField("converted_account", "ConvertedAccountId", text)
    ],
    notHeld: {
      contact: "A Salesforce lead has no contact until it is converted; then `converted_contact` names it.",
      account: "A Salesforce lead has no account until it is converted; then `converted_account` names it."
    }
  })
])

export const lead = (org: Org): ResourceAdapter => ({
  mapping,
  needs: ["last_name", "company"],
  consistency: "exact",
  duplicates: "allow",
  ...sobject(org, {
    type,
    clauses: {
      email: equals("Email"),
      phone: digits("Phone", "MobilePhone"),
      name: beginsName("Name"),
      owner: refers("OwnerId"),
      status: oneOf(statuses),
      q: searched(org, type)
    }
  })
})
