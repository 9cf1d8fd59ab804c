import { Lead } from "../../canonical/crm/Lead.ts"
import { madeName } from "../../mapping/MadeName.ts"
import type { Native } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { Metadata } from "./Columns.ts"
import { address, emailAddresses, lookup, mappingOf, owner, stamps, state } from "./Common.ts"
import { equals, oneOf, quote, refers, word } from "./Criteria.ts"
import { beginsName, nameFields, nameOf } from "./Name.ts"
import { records } from "./Records.ts"

/** Of the pick list that every account starts with; what an account adds to it is a lead being worked on. */
const unqualified = ["Junk Lead", "Lost Lead", "Not Qualified"]

/** Conversion qualifies a lead; it is no status of its own. */
const statusOf = ({ Converted__s, Lead_Status }: Native) => {
  if (Converted__s === true) return "QUALIFIED"
  return unqualified.includes(String(Lead_Status)) ? "UNQUALIFIED" : "OPEN"
}

// https://www.zoho.com/crm/developer/docs/api/v8/field-meta.html
const mapping = mappingOf(Lead, (of) => [
  of.variant({
    nativeType: "Leads",
    entries: [
      ...stamps(of),
      of.computed({
        ...madeName(of, { name: "Full_Name", first_name: "First_Name", last_name: "Last_Name" }),
        native: nameFields,
        decode: ({ record }) => nameOf(record)
      }),
      of.field("first_name", "First_Name", text),
      of.field("last_name", "Last_Name", text),
      of.field("company", "Company", text),
      of.field("title", "Designation", text),
      of.field("lead_source", "Lead_Source", text),
      state(of, {
        canonical: "status",
        native: ["Lead_Status", "Converted__s"],
        stateOf: statusOf,
        values: {
          OPEN: "Not Contacted",
          CLOSED: "Lost Lead",
          UNQUALIFIED: "Not Qualified",
          // converting makes other records, which a status does not
          QUALIFIED: "Pre-Qualified"
        }
      }),
      owner(of),
      of.slots("addresses", "address_type", (of) => [address(of, "", "Zip_Code", null)]),
      emailAddresses(of),
      of.labelled(
        "phone_numbers",
        "phone_number_type",
        "phone_number",
        { WORK: "Phone", MOBILE: "Mobile", FAX: "Fax" },
        text
      ),
      of.readField("converted_date", "Converted_Date_Time", dateTime),
      of.readField("converted_contact", "Converted_Contact", lookup),
      of.readField("converted_account", "Converted_Account", lookup)
    ],
    notHeld: {
      contact: "Zoho links a lead to a contact only when the lead is converted: see `converted_contact`.",
      account: "Zoho links a lead to an account only when the lead is converted: see `converted_account`."
    }
  })
])

const isUnqualified = `Lead_Status in (${unqualified.map(quote).join(", ")})`
const isNotConverted = "Converted__s = false"

const clauses = {
  email: equals("Email", "Secondary_Email"),
  name: beginsName,
  owner: refers("Owner"),
  status: oneOf({
    QUALIFIED: ["Converted__s = true"],
    UNQUALIFIED: [`(${isNotConverted} and ${isUnqualified})`],
    OPEN: [
      `(${isNotConverted} and Lead_Status is null)`,
      `(${isNotConverted} and ${isUnqualified.replace(" in ", " not in ")})`
    ]
  }),
  q: word
}

/**
 * Converted leads too, which reads leave out unless they are asked for: `converted` of a list, and a condition of a query.
 * https://www.zoho.com/crm/developer/docs/api/v8/get-records.html
 */
export const lead = (call: Caller, metadata: Metadata) => ({
  ...records(call, mapping, {
    metadata,
    parameters: { converted: "both" },
    besides: "Converted__s = true",
    clauses: { Leads: clauses }
  }),
  needs: ["last_name"]
})
