import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { sampled } from "../../simulation/table/Kind.ts"
import { companies, people, pick, random, type SamplePerson } from "../../simulation/SampleCompany.ts"
import { calls, events, notes, tasks } from "./Activities.ts"
import { appointments, services } from "./Appointments.ts"
import { deals, pipelines } from "./Deals.ts"
import type { Module } from "./Fields.ts"
import { accounts, contacts, currencies, industries, leads } from "./People.ts"
import { nextId, stampOf } from "./Stamps.ts"

// A sales organisation of some size: 6 users, 260 accounts and as many contacts, and what happened with them.

const day = 24 * 3_600_000
const opened = Date.UTC(2025, 0, 6, 4)

const dayOf = (days: number) => new Date(opened + days * day).toISOString().slice(0, 10)
const at = (days: number) => stampOf(opened + Math.floor(days * 24) * 3_600_000)

/** Keeps a record as if it had been made some days after the organisation was. */
const put = (org: Org, module: Module, days: number, values: Doc): string => {
  const doc = sampled(org, module, values)
  const stamp = at(days)
  org.put(module.name, String(doc.id), {
    ...doc,
    ...module.stamps(org, undefined),
    Created_Time: stamp,
    Modified_Time: stamp,
    ...("Last_Activity_Time" in doc ? { Last_Activity_Time: stamp } : {}),
    ...("Closed_Time" in doc && doc.Closed_Time !== null ? { Closed_Time: stamp } : {})
  })
  return String(doc.id)
}

// the last two do not work here any more: one may come back, one will not
const staff = [
  ["Grace", "Okafor", "active", "CEO"],
  ["Mateo", "Silva", "active", "Manager"],
  ["Hanna", "Lindqvist", "active", "Manager"],
  ["Kenji", "Watanabe", "active", "Manager"],
  ["Priya", "Raman", "disabled", "Manager"],
  ["Tom", "Brandt", "deleted", "Manager"]
] as const

const users = (org: Org): ReadonlyArray<string> => {
  const ids = staff.map(() => nextId(org))
  staff.forEach(([first, last, status, role], index) => {
    const id = ids[index] ?? ""
    org.put("users", id, {
      id,
      first_name: first,
      last_name: last,
      full_name: `${first} ${last}`,
      email: `${first}.${last}@sales.example`.toLowerCase(),
      status,
      confirm: true,
      role,
      profile: index === 0 ? "Administrator" : "Standard",
      zuid: String(734_000_000 + index),
      created_time: at(index),
      created_by: ids[0],
      Modified_Time: at(index),
      Modified_By: ids[0]
    })
  })
  return ids
}

const place = (
  prefix: string,
  postal: string,
  one: Pick<SamplePerson, "city" | "country" | "postal" | "region" | "street">
) => ({
  [`${prefix}Street`]: one.street,
  [`${prefix}City`]: one.city,
  [`${prefix}State`]: one.region === "" ? null : one.region,
  [`${prefix}${postal}`]: one.postal,
  [`${prefix}Country`]: one.country
})

const link = (module: Module, id: string | undefined) => (id === undefined ? null : { module: module.name, id })

const sources = ["Cold Call", "Trade Show", "Web Research", "Partner"] as const
const openings = ["calibration", "pilot", "expansion", "service plan", "training"] as const

export const seed = (org: Org): void => {
  const next = random(11)
  const owners = users(org).slice(0, 4)
  const ownerOf = (index: number) => owners[index % owners.length] ?? ""
  const [industry = "", ...otherIndustries] = industries
  const sampled = companies(260)

  const accountIds = sampled.map((company, index) =>
    put(org, accounts, 1 + index / 4, {
      Account_Name: company.name,
      Account_Number: String(10_001 + index),
      Account_Type: pick(next, ["Customer", "Prospect", "Partner", "Supplier"]),
      Industry: index % 7 === 0 ? null : pick(next, [industry, ...otherIndustries]),
      Website: `https://www.${company.domain}`,
      Phone: company.phone,
      Employees: company.employees,
      Annual_Revenue: company.revenue,
      Description: index % 3 === 0 ? `${company.industry}; met at the spring fair.` : null,
      Owner: ownerOf(index),
      ...place("Billing_", "Code", company),
      ...(index % 2 === 0 ? place("Shipping_", "Code", company) : {}),
      ERP_Number: `C-${4000 + index}`,
      Tier: index % 4 === 0 ? null : pick(next, ["Bronze", "Silver", "Gold", "Platinum"]),
      Interests: index % 5 === 0 ? ["Calibration", "Training"] : null,
      Score: Math.floor(next() * 100),
      Currency: currencies[index % currencies.length]
    })
  )
  const accountOf = (person: SamplePerson | undefined) => link(accounts, accountIds[person?.company ?? 0])

  const persons = people(530, 260)
  const contactIds = persons.slice(0, 260).map((person, index) =>
    put(org, contacts, 70 + index / 4, {
      Salutation: index % 5 === 0 ? "Ms." : null,
      First_Name: person.first,
      Last_Name: person.last,
      Account_Name: accountOf(person),
      Title: person.title,
      Email: person.email,
      Phone: person.phone,
      Mobile: index % 2 === 0 ? person.mobile : null,
      Lead_Source: pick(next, sources),
      Owner: ownerOf(person.company),
      ...place("Mailing_", "Zip", person),
      Score: Math.floor(next() * 100),
      Newsletter: index % 3 === 0
    })
  )
  const contactOf = (index: number) => link(contacts, contactIds[index % contactIds.length])

  const dealIds = Array.from({ length: 260 }, (_, index) => {
    const person = persons[index]
    const [standard, renewals] = pipelines
    const pipeline = index % 6 === 5 ? renewals : standard
    const stages = pipeline?.stages ?? []
    const about = pick(next, openings)
    const stage = stages[Math.floor(next() * stages.length)]?.value
    return put(org, deals, 140 + index / 4, {
      Deal_Name: `${person?.last ?? "Sales"} ${about} ${index + 1}`,
      Account_Name: accountOf(person),
      Contact_Name: index % 5 === 0 ? null : contactOf(index),
      // some are older than the pipelines, and some in a stage that was taken out of the pick list
      Pipeline: index % 31 === 12 ? null : pipeline?.name,
      Stage: index % 37 === 20 ? "Legal review" : stage,
      Amount: index % 9 === 0 ? null : 500 * (1 + Math.floor(next() * 200)),
      Closing_Date: dayOf(200 + Math.floor(next() * 400)),
      Type: pick(next, ["New Business", "Existing Business"]),
      Lead_Source: pick(next, sources),
      Order_Number: `D-${9000 + index}`,
      Currency: currencies[index % currencies.length],
      Owner: ownerOf(index)
    })
  })

  const leadIds = persons.slice(260, 520).map((person, index) =>
    put(org, leads, 150 + index / 4, {
      Salutation: index % 6 === 1 ? "Mr." : null,
      First_Name: person.first,
      Last_Name: person.last,
      Company: sampled[person.company]?.name ?? null,
      Designation: person.title,
      Email: person.email,
      Phone: person.phone,
      Mobile: index % 3 === 0 ? person.mobile : null,
      Lead_Source: pick(next, sources),
      Lead_Status: pick(next, ["Not Contacted", "Contacted", "Attempted to Contact", "Junk Lead", "Pre-Qualified"]),
      Owner: ownerOf(index),
      ...place("", "Zip_Code", person),
      ...(index < 4
        ? {
            Converted__s: true,
            Converted_Date_Time: at(230 + index),
            Converted_Account: link(accounts, accountIds[index]),
            Converted_Contact: link(contacts, contactIds[index]),
            Converted_Deal: link(deals, dealIds[index])
          }
        : {})
    })
  )

  /** A deal, an account, a lead or nothing, in turn. */
  const subjectOf = (index: number) =>
    [link(deals, dealIds[index]), link(accounts, accountIds[index]), link(leads, leadIds[index]), null][index % 4] ??
    null
  const about = (index: number) => ({
    What_Id: subjectOf(index),
    Who_Id: index % 4 === 2 ? null : contactOf(index),
    Owner: ownerOf(index)
  })

  for (let index = 0; index < 260; index++) {
    put(org, tasks, 200 + index / 4, {
      Subject: `${pick(next, ["Prepare quote", "Send brochure", "Check references", "Follow up"])} ${index + 1}`,
      Status: pick(next, ["Not Started", "In Progress", "Completed", "Deferred"]),
      Priority: pick(next, ["High", "Normal", "Low"]),
      Due_Date: index % 6 === 0 ? null : dayOf(205 + index),
      Description: "Ask about the delivery in spring.",
      ...about(index)
    })
    const begins = 230 + index / 2
    put(org, events, 215 + index / 4, {
      Event_Title: `Demonstration ${index + 1}`,
      Start_DateTime: at(begins),
      End_DateTime: at(begins + 1 / 24),
      Venue: pick(next, ["On site", "Head office", "Online"]),
      Participants: [0, 1].slice(0, index % 3).map((more) => ({
        type: "contact",
        participant: contactIds[(index + more) % contactIds.length],
        invited: index % 4 === 1,
        status: index % 4 === 1 ? "accepted" : "not_known"
      })),
      ...about(index)
    })
    put(org, calls, 220 + index / 4, {
      Subject: `Call ${index + 1}`,
      Call_Type: pick(next, ["Inbound", "Outbound", "Missed"]),
      Call_Start_Time: at(220 + index / 4),
      Call_Duration: `${String(1 + (index % 40)).padStart(2, "0")}:${String(index % 60).padStart(2, "0")}`,
      Call_Purpose: pick(next, ["Prospecting", "Negotiation", "Demo"]),
      ...about(index)
    })
    put(org, notes, 240 + index / 4, {
      Note_Title: index % 5 === 0 ? null : `Visit ${index + 1}`,
      Note_Content: "They compare us with two others.\nDecision before summer.",
      Parent_Id: subjectOf(index) ?? contactOf(index)
    })
  }

  const serviceIds = (
    [
      ["On-site calibration", 60],
      ["Remote consultation", 30]
    ] as const
  ).map(([name, minutes]) =>
    put(org, services, 3, { Service_Name: name, Duration: minutes, Members: owners, Price: 2 * minutes })
  )
  for (let index = 0; index < 40; index++) {
    // some are over, the others are to come
    const begins = index < 20 ? opened + (240 + index) * day : org.now + (2 + index) * day
    put(org, appointments, 235 + index / 4, {
      Appointment_Name: `Visit ${index + 1}`,
      Service_Name: link(services, serviceIds[index % 2]),
      Appointment_For: contactOf(index * 3),
      Appointment_Start_Time: stampOf(begins),
      Status: index < 20 ? (index % 4 === 0 ? "Cancelled" : "Completed") : "Scheduled",
      Owner: ownerOf(index)
    })
  }
}
