import type { Account } from "../../simulation/Account.ts"
import { companies as sampleCompanies, people, pick, random } from "../../simulation/SampleCompany.ts"
import { iso } from "./Answers.ts"
import { link } from "./Associations.ts"
import { put } from "./Records.ts"
import { owners, zoneOffset } from "./Setup.ts"
import * as Types from "./Types.ts"

// The CRM of a wholesaler that sells to offices and workshops in a dozen countries; the same for every account.

const day = 86_400_000
const start = Date.UTC(2023, 0, 9, 8, 15)
/** When the sample data ends. */
const end = Date.UTC(2026, 9, 30, 16, 40)

type Values = { readonly [name: string]: string | undefined }

/** Keeps a record; undefined and empty values are left out. */
const add = (
  account: Account,
  type: Types.ObjectType,
  values: Values,
  createdAt: number,
  updatedAt: number
): string => {
  const id = Types.nextId(account)
  const entries = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value] as const]
  )
  put(account, type, { id, properties: Object.fromEntries(entries), createdAt, updatedAt })
  return id
}

/** A moment in a span, in working hours and whole minutes. */
const moment = (next: () => number, from: number, to: number) => {
  const days = Math.floor((from + next() * (to - from)) / day)
  return days * day + (7 * 60 + Math.floor(next() * 600)) * 60_000
}

const stamp = (milliseconds: number) => iso(milliseconds).replace(".000Z", "Z")

const ownerOf = (index: number) => owners[index % owners.length]?.id

const currencies: { readonly [country: string]: string } = {
  GB: "GBP",
  DE: "EUR",
  FR: "EUR",
  ES: "EUR",
  GR: "EUR",
  PL: "PLN",
  JP: "JPY",
  BR: "BRL",
  SE: "SEK",
  IN: "INR",
  TR: "TRY"
}

const languages: { readonly [country: string]: string } = {
  DE: "de",
  FR: "fr",
  ES: "es",
  GR: "el",
  PL: "pl",
  JP: "ja",
  BR: "pt-br",
  SE: "sv",
  IN: "hi",
  TR: "tr"
}

const firms = sampleCompanies(60)
const persons = people(268, firms.length)

const addCompanies = (account: Account): ReadonlyArray<string> =>
  firms.map((firm, index) => {
    const next = random(10_000 + index)
    const created = moment(next, start, end - 300 * day)
    return add(
      account,
      Types.companies,
      {
        name: firm.name,
        domain: firm.domain,
        website: index % 4 === 0 ? firm.domain : `https://www.${firm.domain}`,
        description: index % 3 === 0 ? `${firm.industry} in ${firm.city}, ${firm.employees} people.` : undefined,
        industry: firm.industry.toUpperCase().replace(/[^A-Z]+/g, "_"),
        type: pick(next, ["PROSPECT", "PARTNER", "RESELLER", "VENDOR", "OTHER"]),
        lifecyclestage: pick(next, ["lead", "opportunity", "customer", "customer"]),
        numberofemployees: String(firm.employees),
        annualrevenue: index % 5 === 0 ? undefined : String(firm.revenue),
        phone: firm.phone,
        address: firm.street.split(", ")[0],
        address2: firm.street.split(", ")[1],
        city: firm.city,
        state: firm.region,
        zip: firm.postal,
        country: firm.country,
        customer_number: `C-${10_400 + index * 3}`,
        hubspot_owner_id: index % 11 === 7 ? undefined : ownerOf(index)
      },
      created,
      moment(next, created, end)
    )
  })

const addContacts = (account: Account, companyIds: ReadonlyArray<string>): ReadonlyArray<string> =>
  persons.map((person, index) => {
    const next = random(20_000 + index)
    const created = moment(next, start, end - 30 * day)
    const isBare = index % 47 === 46
    const id = add(
      account,
      Types.contacts,
      {
        email: index % 41 === 40 ? undefined : person.email,
        hs_additional_emails: index % 29 === 3 ? `accounts+${person.email}` : undefined,
        firstname: isBare ? undefined : person.first,
        lastname: isBare ? undefined : person.last,
        jobtitle: index % 8 === 5 ? undefined : person.title,
        company: firms[person.company]?.name,
        phone: isBare ? undefined : person.phone,
        mobilephone: index % 3 === 0 ? person.mobile : undefined,
        fax: index % 37 === 8 ? person.phone : undefined,
        // lines of an address stand in one property
        address: person.street.replace(", ", "\n"),
        city: person.city,
        state: person.region,
        zip: person.postal,
        country: person.country,
        hs_language: languages[person.countryCode] ?? "en",
        lifecyclestage: pick(next, ["subscriber", "lead", "marketingqualifiedlead", "opportunity", "customer"]),
        hs_lead_status: pick(next, ["NEW", "OPEN", "IN_PROGRESS", "CONNECTED"]),
        hs_analytics_source: pick(next, ["ORGANIC_SEARCH", "DIRECT_TRAFFIC", "REFERRALS", "OFFLINE"]),
        loyalty_tier: index % 6 === 0 ? pick(next, ["bronze", "silver", "gold"]) : undefined,
        topics_of_interest: index % 9 === 0 ? "events;training" : undefined,
        hubspot_owner_id: index % 10 === 9 ? undefined : ownerOf(person.company)
      },
      created,
      moment(next, created, end)
    )
    const companyId = companyIds[person.company]
    if (companyId !== undefined && index % 17 !== 16) link(account, Types.contacts, id, Types.companies, companyId, [1])
    return id
  })

/** Contacts of a company, by its place. */
const contactsAt = (contactIds: ReadonlyArray<string>, company: number) =>
  contactIds.filter((_, index) => persons[index]?.company === company)

const goods = [
  "standing desks",
  "torque tool refresh",
  "warehouse shelving",
  "annual consumables",
  "label printers",
  "safety equipment",
  "meeting room furniture",
  "spare parts contract"
] as const

const addDeals = (account: Account, companyIds: ReadonlyArray<string>, contactIds: ReadonlyArray<string>) =>
  Array.from({ length: 84 }, (_, index) => {
    const next = random(30_000 + index)
    const company = (index * 7) % firms.length
    const firm = firms[company]
    const pipelines = Types.pipelinesOf(Types.deals)
    const pipeline = pipelines[index % 5 === 4 ? 1 : 0] ?? pipelines[0]
    const stage = pipeline?.stages[Math.floor(next() * pipeline.stages.length)]
    const created = moment(next, end - 540 * day, end - 20 * day)
    const isClosed = stage?.metadata.isClosed === "true"
    const closing = isClosed ? moment(next, created, end) : moment(next, end, end + 150 * day)
    const id = add(
      account,
      Types.deals,
      {
        dealname: `${firm?.name ?? "New business"}: ${pick(next, goods)}`,
        amount: index % 13 === 12 ? undefined : (Math.round(next() * 9_000_000) / 100 + 400).toFixed(2),
        deal_currency_code: currencies[firm?.countryCode ?? ""] ?? "USD",
        pipeline: pipeline?.id,
        dealstage: stage?.id,
        closedate: index % 19 === 18 ? undefined : stamp(Math.floor(closing / day) * day - zoneOffset(closing)),
        dealtype: pipeline?.id === "default" ? "newbusiness" : "existingbusiness",
        hs_priority: index % 4 === 0 ? pick(next, ["low", "medium", "high"]) : undefined,
        description: index % 6 === 1 ? "Wants delivery in two lots; café on site, call first ☎️" : undefined,
        closed_lost_reason: stage?.id === "closedlost" ? "Went with the incumbent supplier" : undefined,
        hubspot_owner_id: ownerOf(index)
      },
      created,
      isClosed ? closing : moment(next, created, end)
    )
    const companyId = companyIds[company]
    if (companyId !== undefined) link(account, Types.deals, id, Types.companies, companyId, [5])
    for (const contactId of contactsAt(contactIds, company).slice(0, 1 + (index % 3))) {
      link(account, Types.deals, id, Types.contacts, contactId, [3])
    }
    return { id, company }
  })

const addLeads = (account: Account, companyIds: ReadonlyArray<string>, contactIds: ReadonlyArray<string>) => {
  for (let index = 0; index < 36; index++) {
    const next = random(40_000 + index)
    const place = 81 + index * 5
    const person = persons[place]
    const contactId = contactIds[place]
    const pipeline = Types.pipelinesOf(Types.leads)[index % 6 === 5 ? 1 : 0]
    const stage = pipeline?.stages[Math.floor(next() * pipeline.stages.length)]
    if (person === undefined || contactId === undefined) continue
    const created = moment(next, end - 120 * day, end - 5 * day)
    const id = add(
      account,
      Types.leads,
      {
        hs_lead_name: `${person.first} ${person.last} - ${pick(next, goods)}`,
        hs_lead_type: pick(next, ["NEW_BUSINESS", "UPSELL", "RE_ATTEMPTING"]),
        hs_lead_label: pick(next, ["HOT", "WARM", "COLD"]),
        hs_pipeline: pipeline?.id,
        hs_pipeline_stage: stage?.id,
        hubspot_owner_id: ownerOf(index)
      },
      created,
      moment(next, created, end)
    )
    link(account, Types.leads, id, Types.contacts, contactId, [578])
    const companyId = companyIds[person.company]
    if (companyId !== undefined) link(account, Types.leads, id, Types.companies, companyId, [580])
  }
}

const remarks = [
  "<p>Called about the delayed pallet. Happy with the new date 🙂</p>",
  "<p>Asked for a quote in writing, <strong>net 45</strong> if possible.</p>",
  // as HubSpot's own editor stores two lines
  '<div style="" dir="auto" data-top-level="true"><p style="margin:0;">Besuch im Werk: Größe der Regale prüfen.</p><p style="margin:0;">Maße folgen per E-Mail.</p></div>',
  "<p>次回の打ち合わせは来月。見積書を送付済み 📦</p>",
  "<p>Préfère être contactée après 14 h. Déjà cliente de l’agence de Nîmes.</p>",
  "<p>Budget frozen until Q1 &ndash; follow up then.</p>"
] as const

/** Properties of an activity of a type, besides owner and time. */
const activities: ReadonlyArray<
  readonly [Types.ObjectType, number, (next: () => number, at: number, name: string) => Values]
> = [
  [Types.notes, 120, (next) => ({ hs_note_body: pick(next, remarks) })],
  [
    Types.tasks,
    64,
    (next, at, name) => {
      const status = pick(next, ["NOT_STARTED", "IN_PROGRESS", "WAITING", "COMPLETED", "COMPLETED", "DEFERRED"])
      return {
        hs_task_subject: pick(next, [`Send samples to ${name}`, `Chase signature: ${name}`, `Check stock for ${name}`]),
        hs_task_body: pick(next, remarks),
        hs_task_status: status,
        hs_task_priority: pick(next, ["NONE", "LOW", "MEDIUM", "HIGH"]),
        hs_task_type: pick(next, ["TODO", "CALL", "EMAIL"]),
        hs_task_completion_date: status === "COMPLETED" ? stamp(Math.min(at, end) - 2 * 3_600_000) : undefined
      }
    }
  ],
  [
    Types.meetings,
    40,
    (next, at, name) => ({
      hs_meeting_title: `${pick(next, ["Quarterly review", "Showroom visit", "Contract call"])}: ${name}`,
      hs_meeting_body: pick(next, remarks),
      hs_meeting_location: pick(next, ["Showroom, Leeds", "Microsoft Teams", "On site"]),
      hs_meeting_external_url: next() < 0.4 ? "https://meet.fernhill-supply.example/r/48201" : undefined,
      hs_meeting_start_time: stamp(at),
      hs_meeting_end_time: stamp(at + pick(next, [30, 45, 60, 90]) * 60_000),
      hs_meeting_outcome: pick(next, ["SCHEDULED", "COMPLETED", "COMPLETED", "RESCHEDULED", "NO_SHOW", "CANCELED"])
    })
  ],
  [
    Types.calls,
    72,
    (next, _at, name) => ({
      hs_call_title: `Call with ${name}`,
      hs_call_body: pick(next, remarks),
      hs_call_direction: pick(next, ["INBOUND", "OUTBOUND"]),
      hs_call_disposition: pick(next, ["f240bbac-87c9-4f6e-bf70-924b57d47db7", "b2cf5968-551e-4856-9783-52b3da59a7d0"]),
      hs_call_duration: next() < 0.15 ? undefined : String(Math.floor(next() * 1_800_000)),
      hs_call_status: pick(next, ["COMPLETED", "COMPLETED", "NO_ANSWER", "BUSY"])
    })
  ],
  [
    Types.emails,
    48,
    (next, _at, name) => ({
      hs_email_subject: `${pick(next, ["Your quote", "Delivery note", "Re: opening hours"])} - ${name}`,
      hs_email_text: "Thank you for your message. The document is attached.",
      hs_email_html: next() < 0.5 ? "<p>Thank you for your message. The document is <em>attached</em>.</p>" : undefined,
      hs_email_direction: pick(next, ["EMAIL", "EMAIL", "INCOMING_EMAIL", "FORWARDED_EMAIL"]),
      hs_email_status: "SENT"
    })
  ],
  [
    Types.communications,
    27,
    (next) => ({
      hs_communication_channel_type: pick(next, ["SMS", "WHATS_APP", "LINKEDIN_MESSAGE"]),
      hs_communication_logged_from: "CRM",
      hs_communication_body: pick(next, remarks)
    })
  ],
  [
    Types.appointments,
    30,
    (next, at, name) => ({
      hs_appointment_name: `${pick(next, ["Fitting", "Site survey", "Installation"])} at ${name}`,
      hs_appointment_start: stamp(at),
      hs_appointment_end: stamp(at + 2 * 3_600_000),
      hs_appointment_status: pick(next, ["SCHEDULED", "COMPLETED", "CANCELED", "NO_SHOW"])
    })
  ]
]

const addActivities = (
  account: Account,
  companyIds: ReadonlyArray<string>,
  contactIds: ReadonlyArray<string>,
  deals: ReadonlyArray<{ readonly id: string; readonly company: number }>
) => {
  activities.forEach(([type, count, valuesOf], kind) => {
    for (let index = 0; index < count; index++) {
      const next = random(50_000 + kind * 1000 + index)
      const deal = deals[(index * 5 + kind) % deals.length]
      const company = deal?.company ?? 0
      const at = moment(next, end - 200 * day, end + 40 * day)
      const created = Math.min(at - day, end)
      const id = add(
        account,
        type,
        {
          ...valuesOf(next, at, firms[company]?.name ?? ""),
          hs_timestamp: type === Types.appointments ? undefined : stamp(at),
          hubspot_owner_id: ownerOf(index + kind)
        },
        created,
        Math.max(created, Math.min(at, end))
      )
      const companyId = companyIds[company]
      if (companyId !== undefined && index % 4 !== 3) link(account, type, id, Types.companies, companyId, [])
      if (deal !== undefined && index % 2 === 0) link(account, type, id, Types.deals, deal.id, [])
      for (const contactId of contactsAt(contactIds, company).slice(0, 1 + (index % 2))) {
        link(account, type, id, Types.contacts, contactId, [])
      }
    }
  })
}

/** Sample data of a new account: 264 contacts, 60 companies, 84 deals, and what hangs on them; 4 contacts are archived. */
export const seed = (account: Account): void => {
  const companyIds = addCompanies(account)
  const contactIds = addContacts(account, companyIds)
  const deals = addDeals(account, companyIds, contactIds)
  addLeads(account, companyIds, contactIds)
  addActivities(account, companyIds, contactIds, deals)
  for (const id of contactIds.slice(264)) {
    account.put(Types.contacts.name, id, { ...account.get(Types.contacts.name, id), archivedAt: end })
  }
}
