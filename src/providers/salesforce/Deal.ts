import { Effect } from "effect"
import { Deal } from "../../canonical/crm/Deal.ts"
import { computed, today } from "../../mapping/Entries.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { type Pipeline, placed, type Placing } from "../../mapping/Stages.ts"
import { date, day, number, percent, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { exact } from "../Filtering.ts"
import { deleted, mappingOf, stamps } from "./Common.ts"
import { begins, both, compare, type Said, equals, oneOf, refers } from "./Conditions.ts"
import { isOf } from "./Kinds.ts"
import type { Org } from "./Org.ts"
import { change, insertion, send } from "./Rows.ts"
import { searched } from "./Search.ts"
import { type Step, sobject } from "./SObjects.ts"
import { isId, isSame, quote, soql } from "./Soql.ts"
import { pipelineId, statusOf } from "./Stages.ts"

/** https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_opportunity.htm */
const type = "Opportunity"

/**
 * The primary contact is a role of the opportunity. `ContactId` makes it on create and cannot be written later.
 * https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_opportunitycontactrole.htm
 */
const role = "OpportunityContactRole"
const roles = "OpportunityContactRoles"
const isPrimary = "IsPrimary = true AND IsDeleted = false"
const primaryRole = `(SELECT ContactId FROM ${roles} WHERE ${isPrimary})`

const contactOf = (record: Native): unknown => {
  const found = getPath(record, `${roles}.records`)
  return Array.isArray(found) ? getPath(found[0], "ContactId") : undefined
}

/** Makes a contact the primary one (there is only one: it takes the place of another), or with null none. */
const primaryContact =
  (org: Org): Step =>
  (connection, id, contact) =>
    Effect.gen(function* () {
      const query = soql(["Id", "ContactId", "IsPrimary"], role, [`OpportunityId = ${quote(id)}`], "ORDER BY Id")
      const all = yield* org.query(connection, `${role}.list`, query)
      const held = all.find((one) => (contact === null ? one.IsPrimary === true : isSame(one.ContactId, contact)))
      if (held !== undefined) {
        yield* send(org, connection, `${role}.patch`, change(role, String(held.Id), { IsPrimary: contact !== null }))
      } else if (contact !== null) {
        const made = { OpportunityId: id, ContactId: contact, IsPrimary: true }
        yield* send(org, connection, `${role}.create`, insertion(role, made))
      }
    })

const contact = computed({
  canonical: "contact",
  // ContactId too: it is what a create writes, and what Salesforce names when it refuses a contact
  native: [roles, "ContactId"],
  decode: ({ record }) => contactOf(record),
  needsCurrent: true,
  encode: (value, { current, prefix, refuse, set, step }) => {
    if (value !== null && !isId(String(value))) {
      refuse(`${prefix}contact`, "must be the id of a Contact: 15 or 18 letters and digits")
    } else if (current === undefined) set("ContactId", value)
    else if (!isSame(value, contactOf(current.record) ?? null)) step("contact", value)
  }
})

/** The status follows from the stage. Salesforce takes any text for one; what the org does not list is refused. */
const placing: Placing<Pipeline> = {
  native: { stage: ["StageName"], status: ["IsWon", "IsClosed"] },
  lookup: "stages",
  isRequired: true,
  pipelines: (loaded) => [
    {
      id: pipelineId,
      name: "the org's stages",
      isDefault: true,
      stages: natives(loaded).map((stage) => ({
        id: String(stage.ApiName),
        name: String(stage.MasterLabel),
        status: statusOf(stage) ?? "OPEN",
        isRetired: stage.IsActive !== true
      }))
    }
  ],
  standing: (record) => ({ pipeline: pipelineId, stage: record.StageName, status: statusOf(record) }),
  write: ({ set }, _, stage) => set("StageName", stage.id)
}

/** Only orgs with several currencies have the field; elsewhere every amount is in the org's own. */
const currency = computed({
  canonical: "currency",
  native: ["CurrencyIsoCode"],
  lookups: ["currency"],
  decode: ({ lookups, record }) => record.CurrencyIsoCode ?? lookups?.currency,
  encodeLookups: ["currency"],
  encode: (value, { body, lookups, prefix, refuse, set, warn }) => {
    const only = lookups.currency
    const path = `${prefix}currency`
    if (typeof only !== "string") set("CurrencyIsoCode", value)
    else if (body.currency === null) warn(path, "CHANGED", `cannot be cleared: the org has one currency, ${only}`)
    else if (value !== null && value !== only) refuse(path, `must be ${only}: the org has one currency`)
  }
})

const mapping = mappingOf(Deal, (of) => [
  of.variant({
    nativeType: type,
    entries: [
      ...stamps(of),
      deleted(of),
      of.field("name", "Name", text),
      of.field("description", "Description", text),
      of.field("amount", "Amount", number),
      currency(of),
      of.constant("pipeline", pipelineId),
      ...placed(of, placing),
      of.lasting("close_date", "CloseDate", date, today),
      of.field("probability", "Probability", percent),
      of.field("owner", "OwnerId", text),
      of.field("account", "AccountId", text),
      contact(of),
      of.readField("last_activity_at", "LastActivityDate", day)
    ],
    notHeld: {}
  })
])

/** As the flags of a stage say it. */
const statuses = {
  OPEN: [compare("IsClosed", "=", "false")],
  WON: [compare("IsWon", "=", "true")],
  LOST: [both(compare("IsClosed", "=", "true"), compare("IsWon", "=", "false"))]
}

const ofContact = exact<Said>(({ text }) => {
  if (!isOf("Contact", text) || !isId(text)) return null
  const held = `SELECT OpportunityId FROM ${role} WHERE ContactId = ${quote(text)} AND ${isPrimary}`
  return [{ soql: `Id IN (${held})`, fields: ["Id"], isJoin: true }]
})

export const deal = (org: Org): ResourceAdapter => ({
  mapping,
  consistency: "exact",
  ...sobject(org, {
    type,
    clauses: {
      name: begins("Name"),
      account: refers("AccountId"),
      contact: ofContact,
      owner: refers("OwnerId"),
      // there is one
      pipeline: exact(({ text }) => (text === pipelineId ? [compare("Id", "!=", "null")] : null)),
      stage: equals("StageName"),
      status: oneOf(statuses),
      q: searched(org, type)
    },
    subselects: { [roles]: primaryRole },
    steps: { contact: primaryContact(org) },
    // a stage brings its own probability
    together: [["StageName", "Probability"]]
  })
})
