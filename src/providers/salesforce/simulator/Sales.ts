import { Either } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { refused } from "../../simulation/table/Complaint.ts"
import type { Rule } from "../../simulation/table/Kind.ts"
import {
  address,
  area,
  computed,
  date,
  datetime,
  deletion,
  email,
  type Field,
  fixed,
  flag,
  nothing,
  number,
  onCreate,
  onlyWith,
  owner,
  personName,
  phone,
  picklist,
  reference,
  required,
  sObject,
  stamps,
  statusList,
  text,
  url,
  views
} from "./Fields.ts"
import { isOn } from "./Settings.ts"

// Companies, people and sales. Fields from the Object Reference, without those of features that are switched off:
// https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_list.htm

const industries = [
  "Agriculture",
  "Apparel",
  "Banking",
  "Biotechnology",
  "Chemicals",
  "Communications",
  "Construction",
  "Consulting",
  "Education",
  "Electronics",
  "Energy",
  "Engineering",
  "Entertainment",
  "Finance",
  "Food & Beverage",
  "Healthcare",
  "Hospitality",
  "Insurance",
  "Machinery",
  "Manufacturing",
  "Media",
  "Retail",
  "Shipping",
  "Technology",
  "Telecommunications",
  "Transportation",
  "Utilities",
  "Other"
]
const sources = ["Web", "Phone Inquiry", "Partner Referral", "Purchased List", "Other"]
const ratings = ["Hot", "Warm", "Cold"]

/** Own fields of the organisation. */
const custom: ReadonlyArray<Field> = [
  picklist("Tier__c", ["Bronze", "Silver", "Gold", "Platinum"], { restricted: true }),
  number("Score__c"),
  text("External_Id__c", 64, { isUnique: true })
]

/** The last day of an activity that is done and names the record. */
const lastActivity = (by: "WhoId" | "WhatId" | "AccountId") =>
  computed(date("LastActivityDate"), (doc, org) => {
    const days = [...org.all("Task").filter(({ IsClosed }) => IsClosed === true), ...org.all("Event")]
      .filter((activity) => activity.IsDeleted === false && activity[by] === doc.Id)
      .flatMap(({ ActivityDate: day }) => (typeof day === "string" ? [day] : []))
    return days.sort().at(-1) ?? null
  })

// A person account is stored as an account and a contact.
// https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_guidelines_personaccounts.htm

const ofPeople = (one: Field): Field => onlyWith("person accounts", one)

const namesOfPeople = ["LastName", "FirstName", "Salutation"]

const badNames = (...names: ReadonlyArray<string>) =>
  refused(`Account: bad field names on insert/update call: ${names.join(", ")}`, names[0], {
    code: "INVALID_FIELD_FOR_INSERT_UPDATE",
    others: names.slice(1)
  })

const fullName = ({ FirstName, LastName }: Doc) => [FirstName, LastName].filter(Boolean).join(" ")

/** A new account with a last name is a person; its name is made of theirs, and companies have none of those. */
const personal: Rule = ({ account: org, after, before, given }) => {
  if (!isOn(org, "person accounts")) return Either.right(after)
  const isPerson = before === undefined ? typeof given.LastName === "string" : before.IsPersonAccount === true
  const bad = (isPerson ? ["Name"] : namesOfPeople).filter((name) => given[name] !== undefined)
  if (bad.length > 0) return badNames(...bad)
  return Either.right(isPerson ? { ...after, IsPersonAccount: true, Name: fullName(after) } : after)
}

const personOf = (org: Org, accountId: unknown) =>
  org.all("Contact").find((one) => one.AccountId === accountId && one.IsPersonAccount === true)

export const account = sObject({
  name: "Account",
  rules: [personal],
  follows: ({ before, doc, org }, make) => {
    if (doc.IsPersonAccount !== true) return
    const names = Object.fromEntries(namesOfPeople.map((name) => [name, doc[name] ?? null]))
    const contact = personOf(org, doc.Id)
    if (before === undefined) make("Contact", { ...names, AccountId: doc.Id, IsPersonAccount: true })
    else if (contact !== undefined) org.put("Contact", String(contact.Id), { ...contact, ...names })
  },
  fields: [
    deletion,
    fixed(reference("MasterRecordId", ["Account"], { relation: "MasterRecord" })),
    required(text("Name")),
    ...[text("LastName", 80), text("FirstName", 40), picklist("Salutation", ["Mr.", "Ms.", "Mrs.", "Dr."])].map(
      ofPeople
    ),
    ofPeople(fixed(flag("IsPersonAccount"))),
    ofPeople(
      computed(
        reference("PersonContactId", ["Contact"], { relation: "PersonContact" }),
        ({ Id }, org) => personOf(org, Id)?.Id
      )
    ),
    picklist("Type", ["Prospect", "Customer - Direct", "Customer - Channel", "Technology Partner", "Other"]),
    reference("ParentId", ["Account"], { relation: "Parent", children: "ChildAccounts" }),
    ...address("Billing"),
    ...address("Shipping"),
    phone("Phone"),
    phone("Fax"),
    text("AccountNumber", 40),
    url("Website"),
    fixed(url("PhotoUrl")),
    text("Sic", 20),
    picklist("Industry", industries),
    number("AnnualRevenue", "currency"),
    number("NumberOfEmployees", "int"),
    picklist("Ownership", ["Public", "Private", "Subsidiary", "Other"]),
    text("TickerSymbol", 20),
    area("Description"),
    picklist("Rating", ratings),
    text("Site", 80),
    owner,
    ...stamps,
    lastActivity("AccountId"),
    ...views,
    text("Jigsaw", 20),
    picklist("AccountSource", sources),
    text("SicDesc", 80),
    ...custom
  ]
})

export const contact = sObject({
  name: "Contact",
  rules: [
    ({ after, before, given }) =>
      before?.IsPersonAccount === true && given.AccountId !== undefined ? badNames("AccountId") : Either.right(after)
  ],
  follows: ({ before, doc, org }) => {
    const person = org.get("Account", String(doc.AccountId))
    if (before === undefined || doc.IsPersonAccount !== true || person === undefined) return
    const names = Object.fromEntries(namesOfPeople.map((name) => [name, doc[name] ?? null]))
    org.put("Account", String(person.Id), { ...person, ...names, Name: fullName(doc) })
  },
  fields: [
    deletion,
    fixed(reference("MasterRecordId", ["Contact"], { relation: "MasterRecord" })),
    ofPeople(fixed(flag("IsPersonAccount"))),
    reference("AccountId", ["Account"], { children: "Contacts", cascade: true }),
    ...personName,
    ...address("Other"),
    ...address("Mailing"),
    phone("Phone"),
    phone("Fax"),
    phone("MobilePhone"),
    phone("HomePhone"),
    phone("OtherPhone"),
    phone("AssistantPhone"),
    reference("ReportsToId", ["Contact"], { relation: "ReportsTo" }),
    email("Email"),
    text("Title", 128),
    text("Department", 80),
    text("AssistantName", 40),
    picklist("LeadSource", sources),
    date("Birthdate"),
    area("Description"),
    owner,
    flag("HasOptedOutOfEmail"),
    flag("HasOptedOutOfFax"),
    flag("DoNotCall"),
    ...stamps,
    lastActivity("WhoId"),
    ...views,
    text("EmailBouncedReason"),
    datetime("EmailBouncedDate"),
    computed(flag("IsEmailBounced"), (doc) => (doc.EmailBouncedReason ?? null) !== null),
    fixed(url("PhotoUrl")),
    text("Jigsaw", 20),
    ...custom
  ]
})

/** The first is the default, the third the one of converted leads. */
export const leadStatuses = [
  "Open - Not Contacted",
  "Working - Contacted",
  "Closed - Converted",
  "Closed - Not Converted"
]

export const lead = sObject({
  name: "Lead",
  fields: [
    deletion,
    fixed(reference("MasterRecordId", ["Lead"], { relation: "MasterRecord" })),
    ...personName,
    text("Title", 128),
    required(text("Company")),
    ...address(""),
    phone("Phone"),
    phone("MobilePhone"),
    phone("Fax"),
    email("Email"),
    url("Website"),
    fixed(url("PhotoUrl")),
    area("Description"),
    picklist("LeadSource", sources),
    picklist("Status", leadStatuses, { nillable: false, initial: "Open - Not Contacted" }),
    picklist("Industry", industries),
    picklist("Rating", ratings),
    number("AnnualRevenue", "currency"),
    number("NumberOfEmployees", "int"),
    owner,
    flag("HasOptedOutOfEmail"),
    flag("HasOptedOutOfFax"),
    flag("DoNotCall"),
    fixed(flag("IsConverted")),
    fixed(date("ConvertedDate")),
    fixed(reference("ConvertedAccountId", ["Account"])),
    fixed(reference("ConvertedContactId", ["Contact"])),
    fixed(reference("ConvertedOpportunityId", ["Opportunity"])),
    flag("IsUnreadByOwner", true),
    ...stamps,
    lastActivity("WhoId"),
    ...views,
    text("Jigsaw", 20)
  ],
  checks: [
    ({ after, before }) =>
      before?.IsConverted === true
        ? refused("cannot reference converted lead", "", { code: "CANNOT_UPDATE_CONVERTED_LEAD" })
        : Either.right(after)
  ]
})

export const leadStatus = statusList("LeadStatus", "Lead Status Values", "IsConverted")

const forecast = ["Omitted", "Pipeline", "Best Case", "Commit", "Closed"]

const stageOf = (doc: Doc, org: Org): Doc | undefined =>
  org.all("OpportunityStage").find(({ ApiName }) => ApiName === doc.StageName)

/** A flag or a value of the record's stage; the stage may be one no one defined. */
const ofStage = (one: Field, name: string, otherwise: unknown) =>
  computed(one, (doc, org) => stageOf(doc, org)?.[name] ?? otherwise)

const closeDate = (doc: Doc) => new Date(String(doc.CloseDate))

export const opportunity = sObject({
  name: "Opportunity",
  plural: "Opportunities",
  fields: [
    deletion,
    reference("AccountId", ["Account"], { children: "Opportunities", cascade: true }),
    flag("IsPrivate"),
    required(text("Name", 120)),
    area("Description"),
    picklist("StageName", [], { nillable: false }),
    number("Amount", "currency"),
    number("Probability", "percent"),
    computed(number("ExpectedRevenue", "currency"), ({ Amount, Probability }) =>
      typeof Amount === "number" && typeof Probability === "number" ? (Amount * Probability) / 100 : null
    ),
    number("TotalOpportunityQuantity"),
    required(date("CloseDate")),
    picklist("Type", ["Existing Customer - Upgrade", "Existing Customer - Replacement", "New Customer"]),
    text("NextStep"),
    picklist("LeadSource", sources),
    ofStage(flag("IsClosed"), "IsClosed", false),
    ofStage(flag("IsWon"), "IsWon", false),
    ofStage(
      picklist("ForecastCategory", ["Omitted", "Pipeline", "BestCase", "Forecast", "Closed"]),
      "ForecastCategory",
      "Pipeline"
    ),
    picklist("ForecastCategoryName", forecast),
    fixed(flag("HasOpportunityLineItem")),
    owner,
    ...stamps,
    lastActivity("WhatId"),
    computed(number("FiscalQuarter", "int"), (doc) => Math.floor(closeDate(doc).getUTCMonth() / 3) + 1),
    computed(number("FiscalYear", "int"), (doc) => closeDate(doc).getUTCFullYear()),
    computed(text("Fiscal", 6), (doc) => {
      const day = closeDate(doc)
      return `${day.getUTCFullYear()} ${Math.floor(day.getUTCMonth() / 3) + 1}`
    }),
    // writes make the primary contact role, reads come from it; "updates aren't allowed" (Object Reference, Opportunity)
    {
      ...onCreate(reference("ContactId", ["Contact"])),
      compute: (org, { Id }) =>
        org
          .all("OpportunityContactRole")
          .find((role) => role.OpportunityId === Id && role.IsPrimary === true && role.IsDeleted === false)?.ContactId
    },
    ...views
  ],
  checks: [
    ({ account: org, after, before, given }) => {
      if (before?.StageName === after.StageName) return Either.right(after)
      const stage = stageOf(after, org)
      return Either.right({
        ...after,
        Probability: given.Probability ?? stage?.DefaultProbability ?? 0,
        ForecastCategoryName: given.ForecastCategoryName ?? stage?.ForecastCategoryName ?? "Pipeline"
      })
    }
  ],
  follows: ({ before, doc }, make) => {
    if (before !== undefined || typeof doc.ContactId !== "string") return
    make("OpportunityContactRole", { OpportunityId: doc.Id, ContactId: doc.ContactId, IsPrimary: true })
  }
})

export const opportunityStage = sObject({
  name: "OpportunityStage",
  can: nothing,
  fields: [
    text("MasterLabel"),
    text("ApiName"),
    flag("IsActive"),
    number("SortOrder", "int"),
    flag("IsClosed"),
    flag("IsWon"),
    picklist("ForecastCategory", ["Omitted", "Pipeline", "BestCase", "Forecast", "Closed"]),
    picklist("ForecastCategoryName", forecast),
    number("DefaultProbability", "percent"),
    text("Description"),
    ...stamps
  ].map(fixed)
})

export const opportunityContactRole = sObject({
  name: "OpportunityContactRole",
  fields: [
    onCreate(
      required(reference("OpportunityId", ["Opportunity"], { children: "OpportunityContactRoles", cascade: true }))
    ),
    required(reference("ContactId", ["Contact"], { children: "OpportunityContactRoles", cascade: true })),
    picklist("Role", ["Business User", "Decision Maker", "Economic Buyer", "Evaluator", "Influencer", "Other"]),
    flag("IsPrimary"),
    ...stamps,
    deletion
  ],
  // an opportunity has one primary role: the others stop being it
  follows: ({ doc, org }) => {
    if (doc.IsPrimary !== true) return
    for (const other of org.all("OpportunityContactRole")) {
      if (other.OpportunityId === doc.OpportunityId && other.Id !== doc.Id && other.IsPrimary === true) {
        org.put("OpportunityContactRole", String(other.Id), { ...other, IsPrimary: false })
      }
    }
  }
})
