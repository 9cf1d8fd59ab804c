import { Appointment } from "../../canonical/crm/Appointment.ts"
import { getPath } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { association } from "./Association.ts"
import { linkedTo, moments, owner, stamps } from "./Clauses.ts"
import { outcome } from "./Meeting.ts"
import { objectMapping } from "./ObjectMapping.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { objects } from "./Objects.ts"
import { span } from "./Span.ts"

// https://developers.hubspot.com/docs/guides/api/crm/objects/appointments

const status = "hs_appointment_status"

const mapping = objectMapping(Appointment, (of) => [
  of.variant({
    nativeType: "appointments",
    entries: [
      of.field("subject", "properties.hs_appointment_name", text),
      ...span(of, ["properties.hs_appointment_start"], "properties.hs_appointment_end"),
      of.computed({
        canonical: "status",
        native: [`properties.${status}`],
        encodeLookups: ["appointment_properties"],
        decode: ({ record }, context) => outcome.decode(getPath(record, `properties.${status}`) ?? "", context),
        encode: (value, encoding) => {
          const { lookups, prefix, set, warn } = encoding
          const names = lookups.appointment_properties
          // https://developers.hubspot.com/docs/guides/api/crm/properties
          if (!Array.isArray(names) || !names.includes(status)) {
            if (value !== null) warn(`${prefix}status`, "NOT_HELD", `the account has no property ${status}`)
            return
          }
          set(`properties.${status}`, value === null ? "" : outcome.encode(value, encoding, `${prefix}status`))
        }
      }),
      of.field("owner", "properties.hubspot_owner_id", text),
      association(of, "contact", { to: "contacts" }),
      association(of, "account", { to: "companies" })
    ],
    notHeld: {
      content: "HubSpot appointments have no property for notes unless an account adds one.",
      content_type: "HubSpot appointments have no property for notes unless an account adds one.",
      location: "HubSpot appointments have no property for a place unless an account adds one.",
      service:
        "HubSpot holds services as records that are linked to the appointment, in accounts that have activated them."
    }
  })
])

const filters = {
  appointments: {
    ...stamps,
    owner,
    account: linkedTo("company"),
    contact: linkedTo("contact"),
    // not every account has a property of the status, and HubSpot refuses a search by a property that is not there
    ...moments("start", "hs_appointment_start")
  }
}

export const appointment = (call: Caller, typeOf: LinkTypes): ResourceAdapter => ({
  ...objects(call, typeOf, mapping, { filters, path: "/crm/objects/v3" }),
  requires: [
    { kind: "scope", name: "crm.objects.appointments.read" },
    { kind: "scope", name: "crm.objects.appointments.write" }
  ]
})
