import { Either } from "effect"
import { accountNumber } from "../../simulation/AccountNumber.ts"
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
import { type Owner, owners, type Pipeline, setUp, type Stage, timeZone, zoneOffset } from "./Setup.ts"
import { pipelinesOf, typeNamed } from "./Types.ts"

// Settings of an account that no request changes: owners, pipelines, property definitions.

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
  name: property.code,
  label: property.name,
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
  ...(property.code === "hubspot_owner_id" ? { referencedObjectType: "OWNER" } : {}),
  hasUniqueValue: property.isUnique === true,
  hidden: false,
  hubspotDefined: property.isCustom !== true,
  modificationMetadata: {
    archivable: property.isCustom === true,
    readOnlyDefinition: property.isCustom !== true,
    readOnlyValue: property.writes === undefined
  },
  formField: property.writes !== undefined,
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

/** https://developers.hubspot.com/docs/api-reference/account-account-info-v3/guide */
const accountDetails = ({ account }: Asked) => {
  const offset = zoneOffset(account.now)
  const hours = Math.trunc(Math.abs(offset) / 3_600_000)
  return ok({
    portalId: accountNumber(account, 8),
    accountType: "STANDARD",
    timeZone,
    companyCurrency: "USD",
    additionalCurrencies: [],
    utcOffset: `${offset < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:00`,
    utcOffsetMilliseconds: offset,
    uiDomain: "app.hubspot.com",
    dataHostingLocation: "na1"
  })
}

export const settingsRoutes: ReadonlyArray<Route> = [
  route("GET", "/account-info/v3/details", [], (asked) => Either.right(accountDetails(asked))),
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
      return ok({ results: all.filter(({ code }) => only.length === 0 || only.includes(code)).map(propertyView) })
    })
  ),
  route("GET", `${properties}/:propertyName`, ["archived", "properties"], (asked) =>
    Either.gen(function* () {
      const { all, type } = yield* propertiesAt(asked)
      const name = asked.at("propertyName")
      const [property] = yield* find(
        all,
        (one) => one.code === name,
        `Property "${name}" of object type ${type.typeId}`
      )
      return ok(propertyView(property))
    })
  )
]
