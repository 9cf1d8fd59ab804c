import { Effect } from "effect"
import { type Call, type Doc, pageOf } from "../../../src/testing/contract/Answers.ts"
import { idOf, type Sample, some } from "./Sample.ts"

/** Differences between CRM providers. */
export interface Traits {
  readonly provider: string
  /** Fields that no record is ever without. */
  readonly always: ReadonlyArray<string>
  readonly industry: string
  /** Type of a company's first address. */
  readonly addressType?: string
  /** Fields that a deal needs besides its name and stage. */
  readonly dealNeeds?: Doc
}

/** Records of the sample data that others are linked to. */
export interface Related {
  readonly account: string
  readonly otherAccount: string
  readonly contact: string
  readonly otherContact: string
  readonly opportunity: string
  readonly owner: string
  readonly otherOwner: string
}

/** How one provider's sample differs from what most have in common. */
export interface Own extends Partial<Pick<Sample, "full" | "least" | "change" | "kept" | "text">> {
  /** Fields that the provider does not take. */
  readonly lacks?: ReadonlyArray<string>
}

const relatedOf = (call: Call, provider: string) =>
  Effect.gen(function* () {
    const two = (resource: string) =>
      Effect.map(call("GET", `/crm/${resource}?provider=${provider}&limit=2`), (answer) =>
        pageOf(answer).data.map(idOf)
      )
    const [account = "", otherAccount = ""] = yield* two("company")
    const [contact = "", otherContact = ""] = yield* two("contact")
    const [owner = "", otherOwner = ""] = yield* two("owner")
    const [opportunity = ""] = yield* two("deal")
    return { account, otherAccount, contact, otherContact, opportunity, owner, otherOwner } satisfies Related
  })

/** A sample over the records it links to, as one provider has it. */
const linked =
  (sampleOf: (related: Related) => Omit<Sample, "kept">) =>
  ({ always, provider }: Traits, ownOf: (related: Related) => Own = () => ({})) =>
  (call: Call) =>
    Effect.map(relatedOf(call, provider), (related): Sample => {
      const sample = sampleOf(related)
      const { kept = [], lacks = [], text = sample.text, ...own } = ownOf(related)
      const held = (body: Doc) => Object.fromEntries(Object.entries(body).filter(([name]) => !lacks.includes(name)))
      return {
        full: { ...held(sample.full), ...own.full },
        least: { ...held(sample.least), ...own.least },
        change: { ...held(sample.change), ...own.change },
        kept: [...always, ...kept],
        text
      }
    })

export const contact =
  ({ always, provider }: Traits) =>
  (call: Call) =>
    Effect.gen(function* () {
      const companies = pageOf(yield* call("GET", `/crm/company?provider=${provider}&limit=2`)).data
      const owners = pageOf(yield* call("GET", `/crm/owner?provider=${provider}&limit=2`)).data
      const [account = "", otherAccount = ""] = companies.map(idOf)
      const [owner = "", otherOwner = ""] = owners.map(idOf)
      return {
        full: {
          first_name: "Ada",
          last_name: "Lovelace",
          account,
          owner,
          title: "Analyst",
          addresses: [
            {
              street_1: "12 St James's Square",
              street_2: "Second floor",
              city: "London",
              state: "England",
              postal_code: "SW1Y 4JH",
              country: "GB"
            }
          ],
          email_addresses: [{ email_address: "ada@engine.example" }],
          phone_numbers: [
            { phone_number: "+44 20 7946 0101", phone_number_type: "WORK" },
            { phone_number: "+44 7700 900102", phone_number_type: "MOBILE" }
          ]
        },
        least: { last_name: "Byron" },
        change: {
          first_name: "Augusta Ada",
          account: otherAccount,
          owner: otherOwner,
          phone_numbers: [{ phone_number: "+44 20 7946 0999", phone_number_type: "WORK" }]
        },
        kept: always,
        text: "title"
      } satisfies Sample
    })

export const company =
  ({ addressType, always, industry, provider }: Traits) =>
  (call: Call) =>
    Effect.gen(function* () {
      const owners = pageOf(yield* call("GET", `/crm/owner?provider=${provider}&limit=2`)).data
      const [owner = "", otherOwner = ""] = owners.map(idOf)
      return {
        full: {
          name: "Analytical Engines",
          description: "Makes engines.",
          industry,
          website: "https://engines.example",
          number_of_employees: 12,
          owner,
          addresses: [
            {
              street_1: "1 Dorset Street",
              city: "London",
              postal_code: "W1U 4EG",
              country: "GB",
              ...(addressType === undefined ? {} : { address_type: addressType })
            }
          ],
          phone_numbers: [{ phone_number: "+44 20 7946 0200", phone_number_type: "WORK" }]
        },
        least: { name: "Difference Engines" },
        change: { description: "Makes bigger engines.", number_of_employees: 0, owner: otherOwner },
        kept: always,
        text: "description"
      } satisfies Sample
    })

export const deal =
  ({ always, dealNeeds, provider }: Traits) =>
  (call: Call) =>
    Effect.gen(function* () {
      const account = idOf(yield* some(call, `/crm/company?provider=${provider}`))
      const contacts = pageOf(yield* call("GET", `/crm/contact?provider=${provider}&limit=2`)).data
      const [contact = "", otherContact = ""] = contacts.map(idOf)
      const owner = idOf(yield* some(call, `/crm/owner?provider=${provider}`))
      const pipeline = yield* some(call, `/crm/pipeline?provider=${provider}`, (one) => one.is_default === true)
      const stages = Array.isArray(pipeline.stages) ? pipeline.stages.map((stage: Doc) => String(stage.remote_id)) : []
      const [stage = "", nextStage = ""] = stages
      const needed = { stage, ...dealNeeds }
      return {
        full: {
          name: "An engine",
          description: "One engine, brass.",
          amount: 17_000.5,
          stage,
          pipeline: idOf(pipeline),
          close_date: "2027-03-31",
          owner,
          account,
          contact
        },
        least: { name: "Some engine", ...needed },
        change: { amount: 18_000, stage: nextStage, contact: otherContact, close_date: "2027-04-30" },
        kept: ["pipeline", ...always],
        text: "description",
        amount: {
          body: (amount) => ({ name: "Amount", ...needed, amount }),
          read: (record) => record.amount
        }
      } satisfies Sample
    })

export const lead = linked(({ account, otherAccount, otherOwner, owner }) => ({
  full: {
    name: "An engine for the Countess",
    first_name: "Ada",
    last_name: "King",
    company: "Ockham Park",
    title: "Countess",
    lead_source: "Web",
    status: "OPEN",
    owner,
    account,
    addresses: [{ street_1: "1 Ockham Lane", city: "Ockham", state: "Surrey", postal_code: "GU23 6NP", country: "GB" }],
    email_addresses: [{ email_address: "ada.king@ockham.example" }],
    phone_numbers: [
      { phone_number: "+44 1483 555 0101", phone_number_type: "WORK" },
      { phone_number: "+44 7700 900103", phone_number_type: "MOBILE" }
    ]
  },
  least: { last_name: "Noel" },
  change: {
    title: "Baroness",
    owner: otherOwner,
    account: otherAccount,
    phone_numbers: [{ phone_number: "+44 1483 555 0199", phone_number_type: "WORK" }]
  },
  text: "title"
}))

export const note = linked(({ account, contact, opportunity, otherContact, otherOwner, owner }) => ({
  full: { content: "Wants brass, not steel.", title: "Materials", owner, contact, account, opportunity },
  least: { content: "Rang back." },
  change: { content: "Wants steel after all.", title: "Material", owner: otherOwner, contact: otherContact },
  text: "content"
}))

export const task = linked(({ account, contact, opportunity, otherContact, otherOwner, owner }) => ({
  full: {
    subject: "Send the drawings",
    content: "All sheets, and the table of parts.",
    status: "OPEN",
    priority: "HIGH",
    // some providers keep only the day
    due_date: "2027-02-15T00:00:00.000Z",
    owner,
    account,
    opportunity,
    contact
  },
  least: { subject: "Ring back", due_date: "2027-02-16T00:00:00.000Z" },
  change: {
    status: "CLOSED",
    priority: "LOW",
    due_date: "2027-02-17T00:00:00.000Z",
    owner: otherOwner,
    contact: otherContact
  },
  text: "content"
}))

export const meeting = linked(({ account, contact, opportunity, otherContact, otherOwner, owner }) => ({
  full: {
    subject: "Demonstration",
    content: "Bring the model.",
    start_time: "2027-02-15T13:00:00.000Z",
    end_time: "2027-02-15T14:30:00.000Z",
    location: "1 Dorset Street, London",
    meeting_url: "https://meet.engines.example/r/1",
    status: "SCHEDULED",
    owner,
    contacts: [contact],
    account,
    opportunity
  },
  least: { subject: "Tea", start_time: "2027-02-16T15:00:00.000Z", end_time: "2027-02-16T16:00:00.000Z" },
  change: {
    end_time: "2027-02-15T15:00:00.000Z",
    location: "Ockham Park",
    owner: otherOwner,
    contacts: [otherContact]
  },
  text: "content"
}))

/** `activityType` is the kind of activity, as the field has it. */
export const activity = (activityType: string) =>
  linked(({ account, contact, opportunity, otherContact, otherOwner, owner }) => ({
    full: {
      activity_type: activityType,
      subject: "About the engine",
      content: "They will think about it.",
      direction: "INBOUND",
      start_time: "2027-02-15T13:00:00.000Z",
      end_time: "2027-02-15T13:20:00.000Z",
      owner,
      account,
      opportunity,
      contacts: [contact]
    },
    least: { activity_type: activityType, start_time: "2027-02-16T15:00:00.000Z" },
    change: { start_time: "2027-02-15T12:55:00.000Z", owner: otherOwner, contacts: [otherContact] },
    text: "content"
  }))

export const appointment = linked(({ account, contact, otherContact, otherOwner, owner }) => ({
  full: {
    subject: "Fitting",
    content: "Ground floor, ring twice.",
    start_time: "2027-02-15T09:00:00.000Z",
    end_time: "2027-02-15T11:00:00.000Z",
    status: "SCHEDULED",
    location: "1 Dorset Street, London",
    owner,
    contact,
    account
  },
  least: { subject: "Survey", start_time: "2027-02-16T09:00:00.000Z" },
  change: {
    end_time: "2027-02-15T12:00:00.000Z",
    status: "RESCHEDULED",
    owner: otherOwner,
    contact: otherContact
  },
  text: "subject"
}))
