import { Effect } from "effect"
import type { Call, Doc } from "../../../src/testing/contract/Answers.ts"
import { activity, company, contact, deal, lead, meeting, note, task, type Traits } from "./Crm.ts"
import type { Sample, Samples } from "./Sample.ts"

// a Pipedrive record is always someone's
const traits: Traits = { provider: "pipedrive", always: ["owner"], industry: "Machinery" }

/** A sample without fields that Pipedrive does not take. */
const lacking =
  (names: ReadonlyArray<string>, text: string, sampleOf: (call: Call) => Effect.Effect<Sample>) =>
  (call: Call): Effect.Effect<Sample> => {
    const held = (body: Doc) => Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
    return Effect.map(sampleOf(call), (sample) => ({
      ...sample,
      full: held(sample.full),
      change: held(sample.change),
      text
    }))
  }

const activityTraits = () => ({ lacks: ["direction"], kept: ["subject"] })

export const pipedrive: Samples = {
  contact: { contact: contact(traits) },
  company: { company: lacking(["description", "phone_numbers"], "website", company(traits)) },
  deal: { deal: lacking(["description"], "name", deal(traits)) },
  lead: {
    lead: lead(traits, () => ({
      // the company is the name of the account: they only change together
      lacks: ["lead_source", "company", "account"],
      // what is the contact's, a PUT of the lead leaves
      kept: ["name", "status", "first_name", "title", "addresses", "email_addresses", "phone_numbers"]
    }))
  },
  // a note is never taken off what it is on
  note: {
    note: note(traits, ({ contact }) => ({ lacks: ["title"], least: { contact }, kept: ["account", "opportunity"] }))
  },
  task: { task: task(traits, () => ({ kept: ["status"] })) },
  meeting: { meeting: meeting(traits, () => ({ lacks: ["meeting_url"], kept: ["status"] })) },
  activity: {
    call: activity("CALL")(traits, activityTraits),
    meeting: activity("MEETING")(traits, activityTraits),
    other: activity("OTHER")(traits, activityTraits)
  }
}
