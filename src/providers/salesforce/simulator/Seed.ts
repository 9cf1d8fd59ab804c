import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { sampled } from "../../simulation/table/Kind.ts"
import { companies, people, pick, random, type SamplePerson } from "../../simulation/SampleCompany.ts"
import { event, eventRelation, task, taskStatus } from "./Activities.ts"
import { serviceAppointment, workType } from "./Appointments.ts"
import type { SObject } from "./Fields.ts"
import { stampOf } from "./Ids.ts"
import { contentDocumentLink, contentNote, note } from "./Notes.ts"
import { given, put as keep } from "./Records.ts"
import { organization, user } from "./Organization.ts"
import { sObjectNamed } from "./Schema.ts"
import {
  account,
  contact,
  lead,
  leadStatus,
  leadStatuses,
  opportunity,
  opportunityContactRole,
  opportunityStage
} from "./Sales.ts"

// A sales organisation of some size: 6 users, 60 accounts, 260 contacts, 80 opportunities, and what happened with them.

const day = 24 * 3_600_000
const opened = Date.UTC(2025, 0, 6, 9)

const dayOf = (days: number) => new Date(opened + days * day).toISOString().slice(0, 10)

/** Keeps a record, and what follows from it, as if it had been made some days after the organisation was. */
const put = (org: Org, object: SObject, days: number, values: Doc): string => {
  const doc = sampled(org, object, given(values))
  const by = doc.CreatedById === "" ? doc.Id : doc.CreatedById
  const at = stampOf(opened + days * day)
  const kept = {
    ...doc,
    CreatedDate: at,
    CreatedById: by,
    LastModifiedDate: at,
    LastModifiedById: by,
    SystemModstamp: at
  }
  keep(org, object, kept)
  object.follows?.({ doc: kept, before: undefined, org }, (name, more) => {
    const other = sObjectNamed(name)
    if (other !== undefined) put(org, other, days, more)
  })
  return String(doc.Id)
}

// the stages of a new organisation: label, probability, forecast category as a code and as a name
const stages = [
  ["Prospecting", 10, "Pipeline", "Pipeline"],
  ["Qualification", 10, "Pipeline", "Pipeline"],
  ["Needs Analysis", 20, "Pipeline", "Pipeline"],
  ["Value Proposition", 50, "Pipeline", "Pipeline"],
  ["Id. Decision Makers", 60, "Pipeline", "Pipeline"],
  ["Perception Analysis", 70, "BestCase", "Best Case"],
  ["Proposal/Price Quote", 75, "BestCase", "Best Case"],
  ["Negotiation/Review", 90, "Forecast", "Commit"],
  ["Closed Won", 100, "Closed", "Closed"],
  ["Closed Lost", 0, "Omitted", "Omitted"]
] as const

// the last two are no sales people: one left, one is the platform's own
const staff = [
  ["Grace", "Okafor", true, "Standard"],
  ["Mateo", "Silva", true, "Standard"],
  ["Hanna", "Lindqvist", true, "Standard"],
  ["Kenji", "Watanabe", true, "Standard"],
  ["Priya", "Raman", false, "Standard"],
  ["Automated", "Process", true, "AutomatedProcess"]
] as const

const users = (org: Org) =>
  staff.map(([first, last, isActive, type], index) => {
    const handle = `${first}.${last}`.toLowerCase()
    return put(org, user, index, {
      Username: `${handle}@${org.name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.example`,
      FirstName: first,
      LastName: last,
      Email: `${handle}@sales.example`,
      Alias: `${first.slice(0, 1)}${last}`.toLowerCase().slice(0, 8),
      CommunityNickname: handle,
      Title: index === 0 ? "System Administrator" : "Account Executive",
      TimeZoneSidKey: "America/Los_Angeles",
      LocaleSidKey: "en_US",
      EmailEncodingKey: "UTF-8",
      LanguageLocaleKey: "en_US",
      IsActive: isActive,
      UserType: type
    })
  })

const taskStatuses = ["Not Started", "In Progress", "Completed", "Waiting on someone else", "Deferred"]

const place = (
  prefix: string,
  { city, country, postal, region, street }: Pick<SamplePerson, "city" | "country" | "postal" | "region" | "street">
) => ({
  [`${prefix}Street`]: street,
  [`${prefix}City`]: city,
  [`${prefix}State`]: region === "" ? null : region,
  [`${prefix}PostalCode`]: postal,
  [`${prefix}Country`]: country
})

export const seed = (org: Org): void => {
  const next = random(7)
  const staffIds = users(org)
  const owners = staffIds.slice(0, 4)
  const ownerOf = (index: number) => owners[index % owners.length] ?? ""
  const one = (list: ReadonlyArray<string>) => list[Math.floor(next() * list.length)] ?? ""
  put(org, organization, 0, {
    Name: "Northwind Instruments",
    ...place("", { street: "1 Market Street", city: "San Francisco", region: "CA", postal: "94105", country: "US" }),
    DefaultLocaleSidKey: "en_US",
    TimeZoneSidKey: "America/Los_Angeles",
    LanguageLocaleKey: "en_US",
    FiscalYearStartMonth: 1,
    OrganizationType: "Developer Edition",
    InstanceName: "WS0"
  })
  stages.forEach(([label, probability, category, categoryName], index) =>
    put(org, opportunityStage, 0, {
      MasterLabel: label,
      ApiName: label,
      IsActive: true,
      SortOrder: index + 1,
      IsClosed: label.startsWith("Closed"),
      IsWon: label === "Closed Won",
      ForecastCategory: category,
      ForecastCategoryName: categoryName,
      DefaultProbability: probability
    })
  )

  leadStatuses.forEach((label, index) =>
    put(org, leadStatus, 0, {
      MasterLabel: label,
      ApiName: label,
      SortOrder: index + 1,
      IsDefault: index === 0,
      IsConverted: label === "Closed - Converted"
    })
  )
  taskStatuses.forEach((label, index) =>
    put(org, taskStatus, 0, {
      MasterLabel: label,
      ApiName: label,
      SortOrder: index + 1,
      IsDefault: index === 0,
      IsClosed: label === "Completed"
    })
  )

  const accountIds = companies(60).map((company, index) =>
    put(org, account, 1 + index, {
      Name: company.name,
      Type: pick(next, ["Prospect", "Customer - Direct", "Customer - Channel"]),
      Industry: pick(next, [
        "Technology",
        "Machinery",
        "Food & Beverage",
        "Construction",
        "Healthcare",
        "Retail",
        "Shipping"
      ]),
      Website: `https://www.${company.domain}`,
      Phone: company.phone,
      AnnualRevenue: company.revenue,
      NumberOfEmployees: company.employees,
      Description: index % 3 === 0 ? `${company.industry}; met at the spring fair.` : null,
      OwnerId: ownerOf(index),
      ...place("Billing", company),
      ...(index % 2 === 0 ? place("Shipping", company) : {}),
      Tier__c: index % 4 === 0 ? null : pick(next, ["Bronze", "Silver", "Gold", "Platinum"]),
      Score__c: Math.floor(next() * 100),
      External_Id__c: `ERP-${1000 + index}`
    })
  )

  const persons = people(290)
  const contacts = persons.slice(0, 260).map((person, index) => ({
    person,
    id: put(org, contact, 70 + index / 4, {
      FirstName: person.first,
      LastName: person.last,
      Salutation: index % 5 === 0 ? "Ms." : null,
      AccountId: accountIds[person.company] ?? null,
      Title: person.title,
      Email: person.email,
      Phone: person.phone,
      MobilePhone: index % 2 === 0 ? person.mobile : null,
      LeadSource: pick(next, ["Web", "Partner Referral", "Other"]),
      OwnerId: ownerOf(person.company),
      ...place("Mailing", person),
      Tier__c: index % 3 === 0 ? pick(next, ["Bronze", "Silver", "Gold"]) : null,
      Score__c: Math.floor(next() * 100)
    })
  }))

  const deals = Array.from({ length: 80 }, (_, index) => {
    const { id: contactId, person } = contacts[index * 3] ?? { id: "", person: undefined }
    const [stage] = stages[Math.floor(next() * stages.length)] ?? stages[0]
    const dealId = put(org, opportunity, 140 + index, {
      Name: `${person?.last ?? "Sales"} ${pick(next, ["calibration", "renewal", "pilot", "expansion", "service plan"])} ${index + 1}`,
      AccountId: accountIds[person?.company ?? 0] ?? null,
      StageName: stage,
      Amount: index % 9 === 0 ? null : 500 * (1 + Math.floor(next() * 200)),
      CloseDate: dayOf(200 + Math.floor(next() * 400)),
      Type: pick(next, ["New Customer", "Existing Customer - Upgrade"]),
      LeadSource: "Web",
      OwnerId: ownerOf(index)
    })
    // most have a primary contact, some a second one, some none
    if (index % 5 !== 0)
      put(org, opportunityContactRole, 141 + index, {
        OpportunityId: dealId,
        ContactId: contactId,
        Role: "Decision Maker",
        IsPrimary: true
      })
    if (index % 4 === 1) {
      const second = contacts[index * 3 + 1]?.id ?? contactId
      put(org, opportunityContactRole, 142 + index, { OpportunityId: dealId, ContactId: second, Role: "Influencer" })
    }
    return dealId
  })

  persons.slice(260).forEach((person, index) =>
    put(org, lead, 150 + index, {
      FirstName: person.first,
      LastName: person.last,
      Company: companies(60)[person.company]?.name ?? "Unknown",
      Title: person.title,
      Email: person.email,
      Phone: person.phone,
      LeadSource: "Web",
      Status:
        index === 20
          ? "Closed - Converted"
          : pick(next, ["Open - Not Contacted", "Working - Contacted", "Closed - Not Converted"]),
      OwnerId: ownerOf(index),
      ...place("", person),
      ...(index === 20
        ? {
            IsConverted: true,
            ConvertedDate: dayOf(172),
            ConvertedAccountId: accountIds[0],
            ConvertedContactId: contacts[0]?.id,
            ConvertedOpportunityId: deals[0]
          }
        : {})
    })
  )

  for (let index = 0; index < 60; index++) {
    const subtype = index % 4 === 0 ? "Call" : index % 5 === 0 ? "Email" : "Task"
    put(org, task, 200 + index, {
      Subject: `${subtype === "Task" ? "Prepare quote" : subtype} ${index + 1}`,
      Status: subtype !== "Task" || index % 3 === 0 ? "Completed" : "Not Started",
      Priority: pick(next, ["High", "Normal", "Low"]),
      ActivityDate: dayOf(205 + index),
      Description: "Ask about the delivery in spring.",
      TaskSubtype: subtype,
      ...(subtype === "Call" ? { CallType: "Outbound", CallDurationInSeconds: 60 + index * 7 } : {}),
      WhoId: contacts[index * 2]?.id ?? null,
      WhatId: index % 2 === 0 ? (deals[index] ?? null) : (accountIds[index] ?? null),
      OwnerId: ownerOf(index)
    })
  }
  for (let index = 0; index < 30; index++) {
    const made = put(org, event, 220 + index, {
      Subject: `Demonstration ${index + 1}`,
      Location: pick(next, ["On site", "Head office", "Online"]),
      StartDateTime: stampOf(opened + (230 + index) * day),
      DurationInMinutes: 30 * (1 + (index % 3)),
      WhoId: contacts[index]?.id ?? null,
      WhatId: index % 2 === 0 ? (accountIds[index] ?? null) : (deals[index] ?? null),
      OwnerId: ownerOf(index)
    })
    if (index % 3 === 0) put(org, eventRelation, 221 + index, { EventId: made, RelationId: contacts[index + 1]?.id })
  }
  for (let index = 0; index < 12; index++) {
    put(org, note, 240 + index, {
      ParentId: index % 2 === 0 ? one(accountIds) : one(deals),
      Title: `Visit ${index + 1}`,
      Body: "They compare us with two others.\nDecision before summer.",
      OwnerId: ownerOf(index)
    })
  }
  for (let index = 0; index < 28; index++) {
    const written = put(org, contentNote, 240 + index, {
      Title: `Minutes ${index + 1}`,
      Content: Buffer.from("<p>Prices are fine, delivery is the question.</p>").toString("base64"),
      OwnerId: ownerOf(index)
    })
    put(org, contentDocumentLink, 240 + index, {
      ContentDocumentId: written,
      LinkedEntityId: contacts[index]?.id,
      ShareType: "V"
    })
  }

  const workTypes = ["Calibration", "Training"].map((name) =>
    put(org, workType, 250, { Name: name, EstimatedDuration: 2, OwnerId: ownerOf(0) })
  )
  for (let index = 0; index < 30; index++) {
    const from = opened + (300 + index) * day
    put(org, serviceAppointment, 251 + index, {
      // some are for a deal
      ParentRecordId: index < 24 ? accountIds[index] : deals[index],
      Subject: `${index % 2 === 0 ? "Calibration" : "Training"} ${index + 1}`,
      Description: index % 3 === 0 ? "Bring the reference set." : null,
      WorkTypeId: workTypes[index % 2],
      ContactId: contacts[index]?.id,
      EarliestStartTime: stampOf(from),
      DueDate: stampOf(from + 7 * day),
      SchedStartTime: stampOf(from + day),
      SchedEndTime: stampOf(from + day + 2 * 3_600_000),
      Status: pick(next, ["None", "Scheduled", "Dispatched", "Completed", "Canceled"]),
      OwnerId: ownerOf(index),
      Street: "12 Dock Road",
      City: "Hamburg",
      Country: "DE"
    })
  }
}
