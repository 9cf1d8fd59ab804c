import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { companies as sampleCompanies, people, pick, random } from "../../simulation/SampleCompany.ts"
import { type Kind, write } from "../../simulation/table/Kind.ts"
import { stamp } from "./Answers.ts"
import { entities } from "./Entities.ts"
import { leads as leadKind } from "./Leads.ts"
import { notes } from "./Notes.ts"
import { activityTypes, industries, leadLabels, pipelines, stages, users, uuidOf } from "./Settings.ts"

// The CRM of a wholesaler that sells to offices and workshops in a dozen countries; the same for every account.

const day = 86_400_000
const start = Date.UTC(2023, 0, 9, 8, 15)
/** When the sample data ends. */
const end = Date.UTC(2026, 9, 30, 16, 40)

/** A moment in a span, in working hours and whole minutes. */
const moment = (next: () => number, from: number, to: number) => {
  const days = Math.floor((from + next() * (to - from)) / day)
  return days * day + (7 * 60 + Math.floor(next() * 600)) * 60_000
}

const dayOf = (milliseconds: number) => stamp(milliseconds).slice(0, 10)

const owners = users.filter(({ isActive }) => isActive)

const ownerOf = (index: number) => owners[index % owners.length]?.id

/** A body without what is undefined. */
const body = (values: Doc): Doc => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** Writes a record as it was made and last changed (milliseconds); `rest`: what no request can say. */
const add = (
  account: Account,
  kind: Kind,
  values: Doc,
  created: number,
  changed: number,
  { id, ...rest }: { readonly id?: string; readonly [name: string]: unknown } = {}
): Doc => {
  const written = write({ ...account, now: created }, kind, body(values), undefined, id)
  const record = Either.getOrThrowWith(written, (problems) => new Error(`${kind.name}: ${JSON.stringify(problems)}`))
  const kept = { ...record, ...rest, ...kind.stamps({ ...account, now: changed }, undefined) }
  account.put(kind.name, String(kept.id), kept)
  return kept
}

/** Custom fields by their names; those without a value are left out. */
const custom = ({ bags }: Kind, values: Doc): Doc =>
  Object.fromEntries(
    (bags?.custom_fields ?? []).flatMap(({ code, name }) => (values[name] === undefined ? [] : [[code, values[name]]]))
  )

const currencies: { readonly [country: string]: string } = {
  GB: "GBP",
  PL: "PLN",
  JP: "JPY",
  BR: "BRL",
  SE: "SEK",
  IN: "INR",
  TR: "TRY",
  US: "USD"
}

const firms = sampleCompanies(60)
const persons = people(270, firms.length)

interface Place {
  readonly street: string
  readonly city: string
  readonly region: string
  readonly postal: string
  readonly country: string
}

const addressOf = ({ city, country, postal, region, street }: Place): Doc =>
  body({
    value: [street, `${postal} ${city}`, region, country].filter((part) => part !== "").join(", "),
    route: street.replace(/\s*\d+\s*/, " ").trim(),
    street_number: /\d+/.exec(street)?.[0],
    locality: city,
    admin_area_level_1: region === "" ? undefined : region,
    country,
    postal_code: postal
  })

const addOrganizations = (account: Account): ReadonlyArray<Doc> =>
  firms.map((firm, index) => {
    const next = random(10_000 + index)
    const created = moment(next, start, end - 300 * day)
    return add(
      account,
      entities.organizations,
      {
        name: firm.name,
        owner_id: ownerOf(index),
        address: index % 13 === 12 ? undefined : addressOf(firm),
        website: `https://www.${firm.domain}`,
        linkedin: index % 4 === 1 ? `https://www.linkedin.com/company/${firm.domain.split(".")[0] ?? ""}` : undefined,
        industry: industries.find(({ label }) => label === firm.industry)?.id,
        annual_revenue: index % 5 === 0 ? undefined : firm.revenue,
        employee_count: firm.employees,
        label_ids: index % 3 === 0 ? [61] : index % 3 === 1 ? [62] : [],
        custom_fields: custom(entities.organizations, {
          "VAT number": index % 2 === 0 ? `${firm.countryCode}${100_200_300 + index * 7919}` : undefined,
          "Delivery address": index % 9 === 4 ? addressOf(firm) : undefined,
          "Credit limit":
            index % 4 === 0
              ? { value: 5000 + 2500 * (index % 7), currency: currencies[firm.countryCode] ?? "EUR" }
              : undefined,
          "Opening hours":
            index % 6 === 0
              ? { value: "08:30:00", until: "17:00:00", timezone_id: null, timezone_name: "Europe/London" }
              : undefined,
          "Delivery days": index % 5 === 2 ? [121, 123, 125] : undefined
        })
      },
      created,
      moment(next, created, end)
    )
  })

const addPersons = (account: Account, organizations: ReadonlyArray<Doc>): ReadonlyArray<Doc> =>
  persons.map((person, index) => {
    const next = random(20_000 + index)
    const created = moment(next, start, end - 30 * day)
    const isBare = index % 47 === 46
    return add(
      account,
      entities.persons,
      {
        name: `${person.first} ${person.last}`,
        owner_id: ownerOf(person.company),
        org_id: index % 31 === 30 ? undefined : organizations[person.company]?.id,
        emails:
          index % 41 === 40
            ? undefined
            : [
                { value: person.email, primary: true, label: "work" },
                ...(index % 11 === 3 ? [{ value: `accounts+${person.email}`, primary: false, label: "other" }] : [])
              ],
        phones: isBare
          ? undefined
          : [
              { value: person.phone, primary: true, label: "work" },
              ...(index % 3 === 0 ? [{ value: person.mobile, primary: false, label: "mobile" }] : [])
            ],
        job_title: index % 8 === 5 ? undefined : person.title,
        postal_address: isBare || index % 4 === 3 ? undefined : addressOf(person),
        birthday: index % 23 === 5 ? dayOf(Date.UTC(1962 + (index % 38), index % 12, 1 + (index % 28))) : undefined,
        im: index % 37 === 8 ? [{ value: person.email.split("@")[0], label: "skype" }] : undefined,
        label_ids: [[51], [52], [], [53], [51, 52], []][index % 6],
        custom_fields: custom(entities.persons, {
          "Customer number": index % 3 === 0 ? `C-${10_400 + index * 3}` : undefined,
          "Loyalty tier": index % 6 === 0 ? pick(next, [101, 102, 103]) : undefined,
          "Topics of interest": index % 9 === 0 ? [111, 112] : undefined,
          "Customer since": index % 7 === 2 ? dayOf(created) : undefined,
          "Account manager": index % 10 === 1 ? ownerOf(index) : undefined
        })
      },
      created,
      moment(next, created, end)
    )
  })

const wares = [
  "Standing desks",
  "Workshop seating",
  "Archive shelving",
  "Showroom lighting",
  "Framework agreement",
  "Meeting room refit",
  "Ergonomics package"
] as const

const lostReasons = ["Price", "Chose a competitor", "Budget cut", "No decision"] as const

const addDeals = (account: Account, contacts: ReadonlyArray<Doc>): ReadonlyArray<Doc> =>
  Array.from({ length: 264 }, (_, index) => index).map((index) => {
    const next = random(30_000 + index)
    const created = moment(next, start, end - 20 * day)
    const contact = contacts[(index * 5) % contacts.length]
    const firm = firms[persons[(index * 5) % persons.length]?.company ?? 0]
    const pipeline = pipelines[index % 4 === 3 ? 1 : 0]
    const ladder = stages.filter(({ pipeline_id }) => pipeline_id === pipeline?.id)
    const status = pick(next, ["open", "open", "won", "won", "lost"])
    const closed = stamp(moment(next, created + 10 * day, Math.min(end, created + 160 * day)))
    const currency = currencies[firm?.countryCode ?? ""] ?? "EUR"
    return add(
      account,
      entities.deals,
      {
        title: `${pick(next, wares)} - ${firm?.name ?? ""}`,
        value: Math.round(400 + next() * 48_000) * (currency === "JPY" ? 100 : 1) + (index % 5 === 0 ? 0.5 : 0),
        currency,
        owner_id: ownerOf(index),
        person_id: index % 12 === 11 ? undefined : contact?.id,
        org_id: contact?.org_id ?? undefined,
        stage_id: ladder[Math.floor(next() * ladder.length)]?.id,
        status,
        probability: index % 6 === 2 ? 5 * Math.floor(next() * 20) : undefined,
        expected_close_date: index % 9 === 8 ? undefined : dayOf(created + (30 + index) * day),
        close_time: status === "open" ? undefined : closed,
        won_time: status === "won" ? closed : undefined,
        lost_time: status === "lost" ? closed : undefined,
        lost_reason: status === "lost" ? pick(next, lostReasons) : undefined,
        label_ids: index % 7 === 0 ? [71] : [],
        is_archived: index >= 260,
        custom_fields: custom(entities.deals, {
          "Purchase order": status === "won" ? `PO-${7300 + index}` : undefined,
          "Lead time in days": index % 4 === 1 ? 14 + (index % 20) : undefined,
          "Freight budget": index % 8 === 3 ? { value: 250.5 + index, currency: "EUR" } : undefined,
          "Delivery window":
            index % 10 === 6 ? { value: dayOf(created + 40 * day), until: dayOf(created + 54 * day) } : undefined,
          Competitor: index % 5 === 4 ? pick(next, [131, 132, 133]) : undefined,
          "Product lines": index % 3 === 0 ? [141, 143] : undefined
        })
      },
      created,
      status === "open" ? moment(next, created, end) : Date.parse(closed)
    )
  })

const addLeads = (account: Account, contacts: ReadonlyArray<Doc>): ReadonlyArray<Doc> =>
  Array.from({ length: 72 }, (_, index) => index).map((index) => {
    const next = random(40_000 + index)
    // in the order of their creation
    const created = start + Math.floor(((index + next()) * (end - start)) / 73)
    const contact = contacts[(index * 7 + 3) % contacts.length]
    const firm = firms[persons[(index * 7 + 3) % persons.length]?.company ?? 0]
    const isNameless = index % 9 === 4 && contact?.org_id !== null
    const source = pick(next, ["Manually created", "Web forms", "Live chat", "Import", "Website visitors"])
    return add(
      account,
      leadKind,
      {
        title: `${pick(next, wares)} for ${firm?.name ?? ""}`,
        owner_id: ownerOf(index),
        label_ids:
          index % 2 === 0
            ? [pick(next, ["Hot", "Warm", "Cold"])].flatMap((name) =>
                leadLabels.filter((one) => one.name === name).map(({ id }) => id)
              )
            : [],
        person_id: isNameless ? undefined : contact?.id,
        organization_id: contact?.org_id ?? undefined,
        value:
          index % 3 === 2
            ? undefined
            : { amount: 500 + 250 * (index % 30), currency: currencies[firm?.countryCode ?? ""] ?? "EUR" },
        expected_close_date: index % 4 === 0 ? dayOf(created + 60 * day) : undefined,
        was_seen: index % 3 !== 0,
        visible_to: index % 10 === 7 ? "7" : undefined
      },
      created,
      moment(next, created, end),
      {
        id: uuidOf(`lead ${index}`),
        source_name: source,
        origin: source.replace(/ (.)/g, (_all, letter: string) => letter.toUpperCase()),
        is_archived: index % 12 === 11
      }
    )
  })

const remarks = [
  "Asked for a quote with delivery to the third floor.",
  "Prefers to be called in the afternoon.",
  "<p>Wants <b>samples</b> of the oak finish before ordering.</p>",
  "Budget is approved from next quarter on.",
  "<p>Compared us with two other suppliers:</p><ul><li>price</li><li>lead time</li></ul>"
] as const

const subjects: { readonly [type: string]: readonly [string, ...ReadonlyArray<string>] } = {
  call: ["Call about the quote", "Follow-up call"],
  meeting: ["Quarterly review", "Contract meeting", "Showroom tour"],
  task: ["Prepare quote", "Send samples", "Check credit limit"],
  deadline: ["Tender closes"],
  email: ["Send price list", "Confirm delivery date"],
  lunch: ["Lunch with purchasing"],
  site_visit: ["Measure the premises"]
}

const addActivities = (account: Account, deals: ReadonlyArray<Doc>, leads: ReadonlyArray<Doc>): void => {
  for (let index = 0; index < 280; index++) {
    const next = random(50_000 + index)
    const deal = deals[(index * 3) % 250]
    const lead = index % 14 === 6 ? leads[index % leads.length] : undefined
    const type = activityTypes[index % 5 === 0 ? 2 : index % activityTypes.length]?.key_string ?? "call"
    const due = moment(next, end - 240 * day, end + 40 * day)
    const isTimed = type !== "task" && type !== "deadline"
    const person = lead === undefined ? deal?.person_id : lead.person_id
    const created = Math.min(due, end) - 3 * day
    add(
      account,
      entities.activities,
      {
        subject: pick(next, subjects[type] ?? ["Activity"]),
        type,
        owner_id: ownerOf(index),
        deal_id: lead === undefined ? deal?.id : undefined,
        lead_id: lead?.id,
        org_id: (lead === undefined ? deal?.org_id : lead.organization_id) ?? undefined,
        participants: typeof person === "number" ? [{ person_id: person, primary: true }] : [],
        due_date: index % 40 === 39 ? undefined : dayOf(due),
        due_time: isTimed && index % 40 !== 39 ? stamp(due).slice(11, 19) : undefined,
        duration: isTimed ? pick(next, ["00:15", "00:30", "01:00", "01:30"]) : undefined,
        busy: type === "meeting",
        done: due < end && next() < 0.8,
        location:
          type === "meeting" || type === "site_visit"
            ? addressOf(firms[index % firms.length] ?? { street: "", city: "", region: "", postal: "", country: "" })
            : undefined,
        attendees: type === "meeting" ? [{ email: "guest@fernhill-supply.example", name: "Guest" }] : undefined,
        public_description: type === "meeting" ? "Agenda follows by email." : undefined,
        priority: type === "task" ? pick(next, [262, 263, 264]) : undefined,
        note: index % 2 === 0 ? pick(next, remarks) : undefined
      },
      created,
      Math.max(created, Math.min(due, end))
    )
  }
}

const addNotes = (
  account: Account,
  deals: ReadonlyArray<Doc>,
  contacts: ReadonlyArray<Doc>,
  leads: ReadonlyArray<Doc>
): void => {
  for (let index = 0; index < 160; index++) {
    const next = random(60_000 + index)
    const created = moment(next, start, end)
    const deal = deals[(index * 7) % 250]
    const on = [
      { deal_id: deal?.id, org_id: deal?.org_id ?? undefined },
      { person_id: contacts[(index * 3) % contacts.length]?.id },
      { org_id: contacts[(index * 11) % contacts.length]?.org_id ?? deal?.org_id ?? undefined, deal_id: deal?.id },
      { lead_id: leads[index % leads.length]?.id }
    ][index % 4]
    const values = {
      content: pick(next, remarks),
      user_id: ownerOf(index),
      pinned_to_deal_flag: index % 8 === 0 ? 1 : undefined,
      ...on
    }
    add(account, notes, values, created, index % 5 === 0 ? moment(next, created, end) : created)
  }
}

/** Sample data of a new account: 270 persons, 60 organizations, 264 deals, 72 leads, 280 activities, 160 notes. */
export const seed = (account: Account): void => {
  const organizations = addOrganizations(account)
  const contacts = addPersons(account, organizations)
  const deals = addDeals(account, contacts)
  const leads = addLeads(account, contacts)
  addActivities(account, deals, leads)
  addNotes(account, deals, contacts, leads)
}
