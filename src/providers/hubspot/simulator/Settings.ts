import { Either } from "effect"
import type { Route } from "../../simulation/Simulator.ts"
import {
  type Answered,
  type Asked,
  cursorOf,
  failure,
  flagOf,
  invalid,
  iso,
  limitOf,
  ok,
  page,
  pageAfter,
  route
} from "./Answers.ts"
import type { Property } from "./Properties.ts"
import { type ObjectType, typeNamed } from "./Types.ts"

// What an account is set up with and no request changes: owners, pipelines, property definitions.

const setUp = Date.UTC(2021, 2, 8, 9, 30)

export interface Owner {
  readonly id: string
  readonly userId: number
  readonly first: string
  readonly last: string
  readonly isArchived: boolean
}

export const owners: ReadonlyArray<Owner> = [
  { id: "71284630", userId: 26104811, first: "Marguerite", last: "Delacroix", isArchived: false },
  { id: "71284655", userId: 26104839, first: "Tomasz", last: "Zieliński", isArchived: false },
  { id: "71290118", userId: 26108254, first: "Aaliyah", last: "Brooks", isArchived: false },
  { id: "71301477", userId: 26115902, first: "Henrik", last: "Sørensen", isArchived: false },
  { id: "71322906", userId: 26130077, first: "美和", last: "中村", isArchived: false },
  { id: "71344512", userId: 26142365, first: "Patrick", last: "O'Rourke", isArchived: true }
]

const mailboxes: { readonly [id: string]: string } = { "71301477": "henrik.sorensen", "71322906": "miwa.nakamura" }

const ownerView = (owner: Owner) => ({
  id: owner.id,
  type: "PERSON",
  email: `${mailboxes[owner.id] ?? `${owner.first}.${owner.last.replace("ń", "n").replace("'", "")}`.toLowerCase()}@fernhill-supply.example`,
  firstName: owner.first,
  lastName: owner.last,
  // a deactivated user keeps its number only in the second field
  ...(owner.isArchived ? {} : { userId: owner.userId }),
  userIdIncludingInactive: owner.userId,
  createdAt: iso(setUp + Number(owner.id) * 3),
  updatedAt: iso(setUp + Number(owner.id) * 5),
  archived: owner.isArchived,
  teams: [{ id: "3410987", name: "Sales EMEA", primary: true }].slice(0, Number(owner.id) % 2)
})

export interface Stage {
  readonly id: string
  readonly label: string
  readonly metadata: { readonly [name: string]: string }
}

export interface Pipeline {
  readonly id: string
  readonly label: string
  readonly stages: ReadonlyArray<Stage>
}

const dealStage = (id: string, label: string, probability: string, isClosed = false): Stage => ({
  id,
  label,
  metadata: { isClosed: String(isClosed), probability }
})

const leadStage = (id: string, label: string): Stage => ({ id, label, metadata: {} })

const dealPipelines: ReadonlyArray<Pipeline> = [
  {
    id: "default",
    label: "Sales Pipeline",
    stages: [
      dealStage("appointmentscheduled", "Appointment Scheduled", "0.2"),
      dealStage("qualifiedtobuy", "Qualified To Buy", "0.4"),
      dealStage("presentationscheduled", "Presentation Scheduled", "0.6"),
      dealStage("decisionmakerboughtin", "Decision Maker Bought-In", "0.8"),
      dealStage("contractsent", "Contract Sent", "0.9"),
      dealStage("closedwon", "Closed Won", "1.0", true),
      dealStage("closedlost", "Closed Lost", "0.0", true)
    ]
  },
  {
    id: "75e28846-ad0d-4be2-a027-5e1da6590b98",
    label: "Renewals & Upsell",
    stages: [
      dealStage("128476301", "Renewal upcoming", "0.5"),
      dealStage("128476302", "In negotiation", "0.7"),
      dealStage("128476303", "Renewed", "1.0", true),
      dealStage("128476304", "Churned", "0.0", true)
    ]
  }
]

const leadPipelines: ReadonlyArray<Pipeline> = [
  {
    id: "lead-pipeline-id",
    label: "Lead Pipeline",
    stages: [
      leadStage("new-stage-id", "New"),
      leadStage("attempting-stage-id", "Attempting"),
      leadStage("connected-stage-id", "Connected"),
      leadStage("qualified-stage-id", "Qualified"),
      leadStage("unqualified-stage-id", "Unqualified")
    ]
  },
  {
    id: "412880377",
    label: "Trade fairs",
    stages: [
      leadStage("412880380", "New"),
      leadStage("412880381", "Meeting booked"),
      leadStage("412880382", "Qualified"),
      leadStage("412880383", "Disqualified")
    ]
  }
]

export const pipelinesOf = (type: ObjectType): ReadonlyArray<Pipeline> =>
  type.name === "deals" ? dealPipelines : type.name === "leads" ? leadPipelines : []

const stamps = { createdAt: iso(setUp), updatedAt: iso(setUp), archived: false }

const stageView = (stage: Stage, displayOrder: number) => ({
  ...stage,
  displayOrder,
  writePermissions: "CRM_PERMISSIONS_ENFORCEMENT",
  ...stamps
})

const pipelineView = (pipeline: Pipeline, displayOrder: number) => ({
  id: pipeline.id,
  label: pipeline.label,
  displayOrder,
  stages: pipeline.stages.map(stageView),
  ...stamps
})

const propertyView = (property: Property) => ({
  name: property.name,
  label: property.label,
  type: property.type,
  fieldType: property.fieldType,
  description: "",
  groupName: property.groupName,
  options: (property.options ?? (property.type === "bool" ? ["true", "false"] : [])).map((value, displayOrder) => ({
    label: value,
    value,
    displayOrder,
    hidden: false
  })),
  displayOrder: -1,
  calculated: false,
  externalOptions: property.isExternal === true,
  ...(property.name === "hubspot_owner_id" ? { referencedObjectType: "OWNER" } : {}),
  hasUniqueValue: property.isUnique === true,
  hidden: false,
  hubspotDefined: property.isCustom !== true,
  modificationMetadata: {
    archivable: property.isCustom === true,
    readOnlyDefinition: property.isCustom !== true,
    readOnlyValue: property.isReadOnly === true
  },
  formField: property.isReadOnly !== true,
  ...stamps
})

const missing = (what: string) =>
  failure(404, "OBJECT_NOT_FOUND", `${what} does not exist`, { subCategory: "Property.NotFound" })

/** One of a list, and where it stands in it. */
const find = <A>(all: ReadonlyArray<A>, is: (one: A) => boolean, what: string): Answered<readonly [A, number]> => {
  const index = all.findIndex(is)
  const found = all[index]
  return found === undefined ? Either.left(missing(what)) : Either.right([found, index])
}

const pipelineAt = ({ at }: Asked) =>
  Either.flatMap(typeNamed(at("objectType")), (type) =>
    find(pipelinesOf(type), ({ id }) => id === at("pipelineId"), `Pipeline ${at("pipelineId")}`)
  )

const ownerList = ({ query, request }: Asked) =>
  Either.gen(function* () {
    const limit = yield* limitOf(query.one("limit"), 100, 500)
    const after = yield* cursorOf(query.one("after"))
    const archived = yield* flagOf("archived", query.one("archived"))
    const email = query.one("email")
    const listed = owners
      .filter((owner) => owner.isArchived === archived)
      .map(ownerView)
      .filter((owner) => email === undefined || owner.email === email)
    const { next, slice } = pageAfter(listed, (owner) => owner.id, after, limit)
    return ok(page(slice, next, request))
  })

const ownerNamed = ({ at, query }: Asked) =>
  Either.gen(function* () {
    const archived = yield* flagOf("archived", query.one("archived"))
    const by = query.one("idProperty") ?? "id"
    if (by !== "id" && by !== "userId") return yield* Either.left(invalid("idProperty must be one of id, userId"))
    const id = at("ownerId")
    const isIt = (one: Owner) => String(one[by]) === id && one.isArchived === archived
    const [owner] = yield* find(owners, isIt, `Owner ${id}`)
    return ok(ownerView(owner))
  })

/** Definitions of properties; none of them is archived. */
const propertiesAt = ({ at, query }: Asked) =>
  Either.gen(function* () {
    const archived = yield* flagOf("archived", query.one("archived"))
    const type = yield* typeNamed(at("objectType"))
    return { type, all: archived ? [] : [...type.properties.values()] }
  })

const pipelines = "/crm/v3/pipelines/:objectType"
const properties = "/crm/v3/properties/:objectType"

export const settingsRoutes: ReadonlyArray<Route> = [
  route("GET", "/crm/v3/owners", ["email", "after", "limit", "archived"], ownerList),
  route("GET", "/crm/v3/owners/:ownerId", ["idProperty", "archived"], ownerNamed),
  route("GET", pipelines, [], ({ at }) =>
    Either.map(typeNamed(at("objectType")), (type) => ok({ results: pipelinesOf(type).map(pipelineView) }))
  ),
  route("GET", `${pipelines}/:pipelineId`, [], (asked) =>
    Either.map(pipelineAt(asked), ([pipeline, order]) => ok(pipelineView(pipeline, order)))
  ),
  route("GET", `${pipelines}/:pipelineId/stages`, [], (asked) =>
    Either.map(pipelineAt(asked), ([{ stages }]) => ok({ results: stages.map(stageView) }))
  ),
  route("GET", `${pipelines}/:pipelineId/stages/:stageId`, [], (asked) =>
    Either.gen(function* () {
      const [{ stages }] = yield* pipelineAt(asked)
      const id = asked.at("stageId")
      const [stage, order] = yield* find(stages, (one) => one.id === id, `Stage ${id}`)
      return ok(stageView(stage, order))
    })
  ),
  route("GET", properties, ["archived", "properties"], (asked) =>
    Either.map(propertiesAt(asked), ({ all }) => {
      const only = asked.query.many("properties")
      return ok({ results: all.filter(({ name }) => only.length === 0 || only.includes(name)).map(propertyView) })
    })
  ),
  route("GET", `${properties}/:propertyName`, ["archived", "properties"], (asked) =>
    Either.gen(function* () {
      const { all, type } = yield* propertiesAt(asked)
      const name = asked.at("propertyName")
      const [property] = yield* find(
        all,
        (one) => one.name === name,
        `Property "${name}" of object type ${type.typeId}`
      )
      return ok(propertyView(property))
    })
  )
]
