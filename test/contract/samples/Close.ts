import { Effect } from "effect"
import type { Call, Doc } from "../../../src/testing/contract/Answers.ts"
import { company, contact, deal, note, task, type Traits } from "./Crm.ts"
import type { Sample, Samples } from "./Sample.ts"

const traits: Traits = { provider: "close", always: [], industry: "" }

/** A sample without what Close does not hold, and with what it holds in another form. */
const fitted =
  (
    sampleOf: (call: Call) => Effect.Effect<Sample>,
    names: ReadonlyArray<string>,
    own: Partial<Sample>,
    fixed: ReadonlyArray<string> = []
  ) =>
  (call: Call): Effect.Effect<Sample> => {
    const without = (body: Doc, left: ReadonlyArray<string>) =>
      Object.fromEntries(Object.entries(body).filter(([name]) => !left.includes(name)))
    return Effect.map(sampleOf(call), (sample) => ({
      ...sample,
      ...own,
      full: { ...without(sample.full, names), ...own.full },
      least: { ...without(sample.least, names), ...own.least },
      change: { ...without(sample.change, [...names, ...fixed]), ...own.change }
    }))
  }

const phone = (phone_number: string, phone_number_type: string) => ({ phone_number, phone_number_type })

export const close: Samples = {
  contact: {
    // a contact stays with its company, and numbers have no blanks
    contact: fitted(
      contact(traits),
      ["owner", "addresses"],
      {
        full: {
          email_addresses: [{ email_address: "ada@engine.example", email_address_type: "WORK" }],
          phone_numbers: [phone("+442079460101", "WORK"), phone("+447700900102", "MOBILE")]
        },
        change: { phone_numbers: [phone("+442079460999", "WORK")] },
        kept: ["account"]
      },
      ["account"]
    )
  },
  company: { company: fitted(company(traits), ["industry", "number_of_employees", "owner", "phone_numbers"], {}) },
  deal: {
    deal: fitted(deal(traits), ["description"], {
      text: "name",
      kept: ["pipeline", "stage", "probability", "owner", "account"]
    })
  },
  note: {
    note: note(traits, ({ account, contact, otherContact, owner }) => ({
      lacks: ["opportunity"],
      full: { account, contact, owner },
      least: { account },
      change: { owner, contact: otherContact },
      kept: ["account", "owner"]
    }))
  },
  task: {
    task: task(traits, ({ account }) => ({
      lacks: ["content", "priority", "opportunity", "contact"],
      least: { account },
      kept: ["status", "owner", "account"],
      text: "subject"
    }))
  }
}
