import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { companies, people, pick, random } from "../../simulation/SampleCompany.ts"
import { type Kind, write } from "../../simulation/table/Kind.ts"
import { contact, lead, note, opportunity, task } from "./Kinds.ts"
import { leadStatuses, opportunityStatuses, stamp, users } from "./Settings.ts"

// The CRM of a wholesaler that sells to offices and workshops in a dozen countries; the same for every account.

const day = 86_400_000
const start = Date.UTC(2023, 0, 9, 8, 15)
const end = Date.UTC(2026, 9, 30, 16, 40)

const firms = companies(60)
const persons = people(240, firms.length)

/** When one of several records is made. */
const madeAt = (index: number, of: number) => start + Math.floor(((end - start) * index) / of / 60_000) * 60_000

/** Writes a record as if it had been made then; a sample that the simulator refuses is a mistake. */
const add = (account: Account, kind: Kind, made: number, body: Doc): Doc => {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
  return Either.getOrThrowWith(
    write({ ...account, now: made }, kind, given),
    (problems) => new Error(`the sample of ${kind.name}: ${JSON.stringify(problems)}`)
  )
}

const userOf = (index: number) => users[index % users.length]?.id

const wares = [
  "Standing desks",
  "Workshop seating",
  "Archive shelving",
  "Showroom lighting",
  "Meeting room refit"
] as const

const doings = [
  "Send the price list",
  "Ring back about delivery",
  "Check the credit limit",
  "Book the site visit"
] as const

const remarks = [
  "Asked for a quote with delivery to the third floor.",
  "Prefers to be called in the afternoon.",
  "Budget is approved from next quarter on."
] as const

export const seed = (account: Account): void => {
  const leads = firms.map((firm, i) =>
    add(account, lead, madeAt(i, 120), {
      name: firm.name,
      url: `https://www.${firm.domain}`,
      description: i % 4 === 3 ? undefined : `${firm.industry}, ${firm.employees} employees.`,
      status_id: leadStatuses[i % leadStatuses.length]?.id,
      "custom.cf_leadTier7dR5MkL8sWuCiG8cUleO9c": i % 3 === 0 ? "Gold" : undefined,
      "custom.cf_leadRegion7dR5MkL8sWuCiG8cUleO9c": i % 2 === 0 ? firm.countryCode : undefined,
      addresses:
        i % 13 === 12
          ? undefined
          : [
              {
                address_1: firm.street,
                city: firm.city,
                state: firm.region === "" ? null : firm.region,
                zipcode: firm.postal,
                country: firm.countryCode
              }
            ]
    })
  )
  const contacts = persons.map((person, i) =>
    add(account, contact, madeAt(i + 60, 360), {
      name: `${person.first} ${person.last}`,
      title: i % 8 === 5 ? undefined : person.title,
      lead_id: leads[person.company]?.id,
      emails: i % 41 === 40 ? undefined : [{ email: person.email, type: "office" }],
      phones:
        i % 47 === 46
          ? undefined
          : [
              { phone: person.phone, type: "office" },
              ...(i % 3 === 0 ? [{ phone: person.mobile, type: "mobile" }] : [])
            ]
    })
  )
  for (let i = 0; i < 160; i++) {
    const next = random(30_000 + i)
    const made = madeAt(i + 30, 200)
    const one = contacts[(i * 5) % contacts.length]
    const status = opportunityStatuses[i % opportunityStatuses.length]
    add(account, opportunity, made, {
      note: `${pick(next, wares)} - ${firms[persons[(i * 5) % persons.length]?.company ?? 0]?.name ?? ""}`,
      lead_id: one?.lead_id,
      contact_id: i % 12 === 11 ? undefined : one?.id,
      user_id: userOf(i),
      status_id: status?.id,
      value: i % 11 === 10 ? undefined : 100 * Math.round(400 + next() * 48_000) + (i % 5 === 0 ? 50 : 0),
      value_period: i % 7 === 3 ? "annual" : "one_time",
      confidence: 5 * Math.floor(next() * 20),
      date_won: i % 9 === 8 ? undefined : stamp(made + (30 + i) * day).slice(0, 10)
    })
  }
  for (let i = 0; i < 180; i++) {
    const next = random(50_000 + i)
    const due = end - 240 * day + Math.floor(next() * 280) * day
    add(account, task, Math.min(due, end) - 3 * day, {
      text: pick(next, doings),
      lead_id: leads[(i * 7) % leads.length]?.id,
      assigned_to: userOf(i),
      date: i % 10 === 9 ? undefined : i % 3 === 0 ? stamp(due) : stamp(due).slice(0, 10),
      is_complete: due < end && next() < 0.8
    })
  }
  for (let i = 0; i < 120; i++) {
    const next = random(60_000 + i)
    const one = contacts[(i * 3) % contacts.length]
    add(account, note, madeAt(i + 20, 150), {
      note: pick(next, remarks),
      title: i % 4 === 0 ? "Call" : undefined,
      lead_id: one?.lead_id,
      contact_id: i % 2 === 0 ? one?.id : undefined,
      user_id: userOf(i)
    })
  }
}
