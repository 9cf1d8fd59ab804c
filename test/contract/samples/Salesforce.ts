import {
  activity,
  appointment,
  company,
  contact,
  deal,
  lead,
  meeting,
  note,
  type Related,
  task,
  type Traits
} from "./Crm.ts"
import type { Samples } from "./Sample.ts"

// a Salesforce record is always someone's
const traits: Traits = {
  provider: "salesforce",
  always: ["owner"],
  industry: "Technology",
  addressType: "BILLING",
  dealNeeds: { close_date: "2027-01-31" }
}

/** Of what is about a deal, or with a contact, the account follows; it has one of its own where it has neither. */
const aboutAccount = ({ otherAccount }: Related) => ({
  lacks: ["opportunity", "contact", "contacts", "meeting_url", "status"],
  change: { account: otherAccount }
})

// calls, e-mails and others have a day and a length
const onDay = {
  full: { start_time: "2027-02-15T00:00:00.000Z", end_time: "2027-02-15T00:20:00.000Z" },
  least: { start_time: "2027-02-16T00:00:00.000Z" },
  change: { start_time: "2027-02-17T00:00:00.000Z", end_time: "2027-02-17T00:10:00.000Z" }
}

export const salesforce: Samples = {
  contact: { contact: contact(traits) },
  company: { company: company(traits) },
  deal: { deal: deal(traits) },
  lead: {
    lead: lead(traits, () => ({ lacks: ["name", "account"], least: { company: "Ockham Park" }, kept: ["status"] }))
  },
  note: { note: note(traits, () => ({ kept: ["title"] })) },
  task: {
    "about a deal": task(traits, () => ({ lacks: ["account"], kept: ["status", "priority"] })),
    "about an account": task(traits, (related) => ({
      ...aboutAccount(related),
      lacks: ["opportunity", "contact"],
      kept: ["status", "priority"]
    }))
  },
  meeting: {
    "about a deal": meeting(traits, () => ({ lacks: ["account", "meeting_url", "status"] })),
    "about an account": meeting(traits, aboutAccount)
  },
  activity: {
    call: activity("CALL")(traits, () => ({ ...onDay, lacks: ["account"] })),
    "e-mail": activity("EMAIL")(traits, () => ({ ...onDay, lacks: ["account"] })),
    other: activity("OTHER")(traits, () => ({ ...onDay, lacks: ["account"] })),
    meeting: activity("MEETING")(traits, () => ({
      lacks: ["account", "direction"],
      least: { end_time: "2027-02-16T16:00:00.000Z" }
    }))
  },
  appointment: {
    appointment: appointment(traits, ({ account }) => ({ least: { account }, change: { status: "COMPLETED" } }))
  }
}
