import { Effect } from "effect"
import { Deal } from "../../canonical/crm/Deal.ts"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import { placed } from "../../mapping/Stages.ts"
import { number, text } from "../../mapping/Transform.ts"
import { reader } from "../base/Rest.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Clauses, exact } from "../Filtering.ts"
import type { ListRequest } from "../ProviderAdapter.ts"
import { type Conditions, created, heldBy, link, linkAmong, named } from "./Filters.ts"
import { loadStages, pipelineId, placing, stageId, statusOf } from "./Pipeline.ts"
import { endpoint, records } from "./Records.ts"
import { firstOf, linkTo, member, notDated, objectMapping, only } from "./Values.ts"

const attributes = reader(endpoint("attribute_id").envelope)

/** The currency that amounts of deals are in. https://docs.attio.com/rest-api/endpoint-reference/attributes/list-attributes */
export const loadCurrency = (call: Caller, connection: ConnectionRef) => {
  const request: Call = { operation: "attributes.list", method: "GET", path: "/v2/objects/deals/attributes" }
  return Effect.flatMap(call(connection, request), (answer) =>
    Effect.map(attributes.records(request, answer), (found) =>
      getPath(
        found.find(({ api_slug }) => api_slug === "value"),
        "config.currency.default_currency_code"
      )
    )
  )
}

/** The member who let this service in. https://docs.attio.com/rest-api/endpoint-reference/meta/identify */
export const loadMember = (call: Caller, connection: ConnectionRef) =>
  Effect.map(call(connection, { operation: "self.get", method: "GET", path: "/v2/self" }), ({ body }) =>
    getPath(body, "authorized_by_workspace_member_id")
  )

const currencyCode = only("currency_code", text)

// https://docs.attio.com/docs/standard-objects/standard-objects-deals
const mapping = objectMapping(Deal, (of) => [
  of.variant({
    nativeType: "deals",
    entries: [
      of.lasting("name", "values.name", only("value", text)),
      of.field("amount", "values.value", only("currency_value", number)),
      of.computed({
        canonical: "currency",
        native: ["values.value"],
        lookups: ["deal_currency"],
        encodeLookups: ["deal_currency"],
        decode: ({ lookups, record }, context) =>
          currencyCode.decode(getPath(record, "values.value"), context) ?? lookups?.deal_currency,
        encode: (value, { lookups, prefix, refuse }) => {
          const own = lookups.deal_currency
          if (value !== null && typeof own === "string" && value !== own) {
            refuse(`${prefix}currency`, `must be ${own}: the workspace has all deals in it`)
          }
        }
      }),
      of.constant("pipeline", pipelineId),
      ...placed(of, placing),
      of.lasting("owner", "values.owner", member, {
        encodeLookups: ["member"],
        value: ({ lookups }) => lookups.member
      }),
      of.field("account", "values.associated_company", linkTo("companies")),
      firstOf(of, "contact", "values.associated_people", linkTo("people"))
    ],
    notHeld: {
      ...notDated,
      description: "Attio deals have no description attribute unless a workspace adds one.",
      close_date: "Attio deals have no close date unless a workspace adds an attribute for one.",
      probability: "Attio gives neither deals nor their stages a probability.",
      last_activity_at: "Attio records interactions of people and companies, not of deals."
    }
  })
])

/** The workspace's stages say which of them win and lose, and which are its own. */
const filters = (stages: ReadonlyArray<Native> = []): Clauses<Conditions> => {
  const inStages = (isMeant: (stage: Native) => boolean) => {
    const meant = stages.filter(isMeant)
    return meant.length === 0 ? null : [{ $or: meant.map((stage) => ({ stage: stageId(stage) })) }]
  }
  return {
    ...created,
    name: named,
    account: link("associated_company", "companies"),
    contact: linkAmong("associated_people", "people"),
    owner: heldBy("owner"),
    pipeline: exact(({ text }) => (text === pipelineId ? [] : null)),
    stage: exact(({ text }) => inStages((stage) => stageId(stage) === text.toLowerCase())),
    status: exact(({ values }) => inStages(({ title }) => values.includes(statusOf(title))))
  }
}

export const deal = (call: Caller) => ({
  ...records(call, mapping, filters()),
  list: (request: ListRequest) => {
    const { stage, status } = request.wanted
    const stages =
      stage === undefined && status === undefined
        ? Effect.succeed([])
        : loadStages(call, request.connection, { show_archived: true })
    return Effect.flatMap(stages, (known) => records(call, mapping, filters(known)).list(request))
  }
})
