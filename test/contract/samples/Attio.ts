import { Effect } from "effect"
import type { Call, Doc } from "../../../src/testing/contract/Answers.ts"
import { company, contact, deal, note, task, type Traits } from "./Crm.ts"
import type { Sample, Samples } from "./Sample.ts"

const traits: Traits = { provider: "attio", always: [], industry: "" }

/** A sample without what Attio does not hold, and with what it holds in another form. */
const fitted =
  (sampleOf: (call: Call) => Effect.Effect<Sample>, names: ReadonlyArray<string>, own: Partial<Sample>) =>
  (call: Call): Effect.Effect<Sample> => {
    const held = (body: Doc) => Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
    return Effect.map(sampleOf(call), (sample) => ({
      ...sample,
      ...own,
      full: { ...held(sample.full), ...own.full },
      least: { ...held(sample.least), ...own.least },
      change: { ...held(sample.change), ...own.change }
    }))
  }

// countries are codes
const addresses = [
  {
    street_1: "12 St James's Square",
    street_2: "Second floor",
    city: "London",
    state: "England",
    postal_code: "SW1Y 4JH",
    country: "GB"
  }
]

// what is said of a deal, a note or a task beside these has no place in Attio
export const attio: Samples = {
  contact: {
    contact: fitted(contact(traits), ["owner"], {
      full: { addresses, phone_numbers: [{ phone_number: "+44 20 7946 0101" }, { phone_number: "+44 7700 900102" }] },
      change: { phone_numbers: [{ phone_number: "+44 20 7946 0999" }] }
    })
  },
  company: {
    company: fitted(company(traits), ["industry", "number_of_employees", "owner", "phone_numbers"], {
      full: { addresses, website: "engines.example" }
    })
  },
  deal: {
    deal: (call) =>
      Effect.map(fitted(deal(traits), ["description", "close_date"], { text: "name" })(call), (sample) => {
        const { amount, full, least } = sample
        const { owner } = full
        return {
          ...sample,
          least: { ...least, owner },
          kept: ["pipeline", "stage", "owner"],
          ...(amount === undefined ? {} : { amount: { ...amount, body: (of) => ({ ...amount.body(of), owner }) } })
        }
      })
  },
  note: {
    "note on a contact": note(traits, ({ contact }) => ({
      lacks: ["owner", "account", "opportunity"],
      least: { contact }
    }))
  },
  task: {
    // what a task says is never changed
    task: fitted(
      task(traits, () => ({ lacks: ["content", "priority"], kept: ["status"] })),
      [],
      { least: { subject: "Send the drawings" }, text: "" }
    )
  }
}
