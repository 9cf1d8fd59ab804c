import { Effect } from "effect"
import { activity, appointment, company, contact, deal, lead, meeting, note, task, type Traits } from "./Crm.ts"
import { type Samples, some } from "./Sample.ts"

// a Zoho CRM record is always someone's
const traits: Traits = {
  provider: "zoho_crm",
  always: ["owner"],
  industry: "Large Enterprise",
  addressType: "BILLING"
}

// an activity is about one record, a company or a deal, and a note is on one
export const zohoCrm: Samples = {
  contact: { contact: contact(traits) },
  company: { company: company(traits) },
  lead: { lead: lead(traits, () => ({ lacks: ["name", "account"], kept: ["status"] })) },
  deal: { deal: deal(traits) },
  note: {
    "note on a contact": note(traits, ({ contact }) => ({
      lacks: ["owner", "account", "opportunity", "contact"],
      full: { contact },
      least: { contact }
    })),
    "note on a deal": note(traits, ({ opportunity }) => ({
      lacks: ["owner", "account", "opportunity", "contact"],
      full: { opportunity },
      least: { opportunity }
    }))
  },
  task: {
    "task for a company": task(traits, () => ({ lacks: ["opportunity"], kept: ["status"] })),
    "task for a deal": task(traits, () => ({ lacks: ["account"], kept: ["status"] }))
  },
  meeting: {
    meeting: meeting(traits, () => ({ lacks: ["opportunity", "meeting_url", "status"] }))
  },
  // activities have a title, and meetings an end
  activity: {
    call: activity("CALL")(traits, () => ({
      lacks: ["opportunity"],
      least: { subject: "Ring back" },
      kept: ["direction", "end_time"]
    })),
    meeting: activity("MEETING")(traits, () => ({
      lacks: ["account", "direction"],
      least: { subject: "Tea", end_time: "2027-02-16T16:00:00.000Z" }
    }))
  },
  appointment: {
    appointment: (call) =>
      Effect.flatMap(some(call, "/crm/appointment?provider=zoho_crm"), ({ service }) =>
        appointment(traits, ({ contact, owner }) => ({
          lacks: ["account", "end_time", "status"],
          full: { service, status: "SCHEDULED" },
          least: { service, contact, owner },
          change: { status: "CANCELLED" },
          kept: ["status"]
        }))(call)
      )
  }
}
