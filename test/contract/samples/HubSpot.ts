import { Effect } from "effect"
import type { Call } from "../../../src/testing/contract/Answers.ts"
import { activity, appointment, company, contact, deal, lead, meeting, note, task, type Traits } from "./Crm.ts"
import { idOf, type Samples, some } from "./Sample.ts"

const traits: Traits = { provider: "hubspot", always: [], industry: "COMPUTER_SOFTWARE" }

/** Fields of a lead that belong to its contact: a PUT of the lead leaves them. */
const ofPerson = ["first_name", "title", "company", "addresses", "email_addresses", "phone_numbers"]

const leadOfContact = (call: Call) =>
  Effect.flatMap(some(call, "/crm/contact?provider=hubspot"), (contact) =>
    lead(traits, () => ({
      full: { contact: idOf(contact), last_name: contact.last_name },
      change: { title: "Baroness" },
      lacks: ["lead_source", ...ofPerson],
      kept: ["name", "status", "contact"]
    }))(call)
  )

export const hubSpot: Samples = {
  contact: { contact: contact(traits) },
  company: { company: company(traits) },
  lead: {
    lead: lead(traits, () => ({ lacks: ["lead_source"], kept: ["name", "status", ...ofPerson] })),
    "lead of a contact": leadOfContact
  },
  deal: { deal: deal(traits) },
  note: { note: note(traits, () => ({ lacks: ["title"] })) },
  task: { task: task(traits, () => ({ kept: ["status"] })) },
  meeting: { meeting: meeting(traits) },
  activity: {
    call: activity("CALL")(traits),
    email: activity("EMAIL")(traits, () => ({ lacks: ["end_time"], kept: ["direction"] })),
    meeting: activity("MEETING")(traits, () => ({ lacks: ["direction"] })),
    message: activity("OTHER")(traits, () => ({ lacks: ["subject", "direction", "end_time"] }))
  },
  appointment: { appointment: appointment(traits, () => ({ lacks: ["content", "location"] })) }
}
