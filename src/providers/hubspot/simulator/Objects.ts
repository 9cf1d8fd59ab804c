import { Either, Schema } from "effect"
import type { Account } from "../../simulation/Account.ts"
import type { Method, Reply, Route } from "../../simulation/Simulator.ts"
import {
  type Answered,
  type Asked,
  batch,
  bodyOf,
  cursorOf,
  flagOf,
  invalid,
  limitOf,
  noContent,
  ok,
  page,
  pageAfter,
  route
} from "./Answers.ts"
import { type Definition, definitionOf, link, linksOf, unlink } from "./Associations.ts"
import {
  associationsOf,
  find,
  type Input,
  put,
  recordOf,
  recordsOf,
  replace,
  type Stored,
  view,
  written
} from "./Records.ts"
import { partsOf } from "./Values.ts"
import { search } from "./Search.ts"
import { nextId, type ObjectType, typeNamed, types } from "./Types.ts"

// Records of every type: https://developers.hubspot.com/docs/guides/api/crm/understanding-the-crm

const Properties = Schema.Record({
  key: Schema.String,
  value: Schema.Union(Schema.String, Schema.Number, Schema.Boolean)
})

const Id = Schema.Struct({ id: Schema.Union(Schema.String, Schema.Int) })

export const AssociationSpecs = Schema.Array(
  Schema.Struct({ associationCategory: Schema.String, associationTypeId: Schema.Int })
)

const create = {
  properties: Properties,
  associations: Schema.optional(Schema.Array(Schema.Struct({ to: Id, types: AssociationSpecs })))
}
const CreateBody = Schema.Struct(create)
const MergeBody = Schema.Struct({ primaryObjectId: Schema.String, objectIdToMerge: Schema.String })
const UpdateBody = Schema.Struct({ properties: Properties })

const Trace = { objectWriteTraceId: Schema.optional(Schema.String) }
const CreateInputs = Schema.Struct({ inputs: Schema.Array(Schema.Struct({ ...create, ...Trace })) })
const UpdateInputs = Schema.Struct({
  inputs: Schema.Array(
    Schema.Struct({
      ...Id.fields,
      properties: Properties,
      idProperty: Schema.optional(Schema.String),
      ...Trace
    })
  )
})
const ArchiveInputs = Schema.Struct({ inputs: Schema.Array(Id) })
const ReadInputs = Schema.Struct({
  inputs: Schema.Array(Id),
  properties: Schema.optional(Schema.Array(Schema.String)),
  propertiesWithHistory: Schema.optional(Schema.Tuple()),
  idProperty: Schema.optional(Schema.String)
})

type Handler = (asked: Asked, type: ObjectType) => Answered

// One record --------------------------------------------------------------------------------------------------------------

interface Draft {
  readonly record: Stored
  readonly links: ReadonlyArray<{
    readonly definition: Pick<Definition, "typeId">
    readonly to: ObjectType
    readonly id: string
  }>
}

/** A new record that has been found good, before anything is kept. */
const draft = (
  account: Account,
  type: ObjectType,
  body: Pick<typeof CreateBody.Type, "properties" | "associations">
): Answered<Draft> =>
  Either.gen(function* () {
    const record = yield* written(account, type, body.properties)
    const links = []
    for (const association of body.associations ?? []) {
      for (const spec of association.types) {
        const definition = yield* definitionOf(account, type, spec)
        links.push({ definition, to: yield* typeNamed(definition.to), id: String(association.to.id) })
      }
    }
    const broken = links.filter(({ id, to }) => {
      const target = recordOf(account, to, id)
      return target === undefined || target.archivedAt !== undefined
    })
    if (broken.length > 0) {
      const ids = broken.map(({ id, to }) => `${to.singular.toUpperCase()}=${id} is not valid`)
      return yield* Either.left(
        invalid("One or more associations are invalid", { context: { INVALID_OBJECT_IDS: ids } })
      )
    }
    if (type.name === "leads" && !links.some(({ to }) => to.name === "contacts")) {
      return yield* Either.left(invalid("Error creating LEAD. A lead must be associated with a contact."))
    }
    return { record, links }
  })

const keep = (account: Account, type: ObjectType, { links, record }: Draft): Stored => {
  put(account, type, record)
  for (const { definition, id, to } of links) link(account, type, record.id, to, id, [definition.typeId])
  return record
}

const archive = (account: Account, type: ObjectType, record: Stored): void => {
  if (record.archivedAt === undefined) put(account, type, { ...record, archivedAt: account.now })
}

/** A written record comes back with what was sent, an empty text for what was cleared, and what it holds of the type's own choice. */
const echo = (account: Account, type: ObjectType, record: Stored, input: Input) => {
  const shown = view(account, type, record, [...type.defaults, ...Object.keys(input)])
  const held = Object.entries(shown.properties).filter(([name, value]) => value !== null || name in input)
  const cleared = Object.entries(input).filter(([, value]) => value === "")
  return { ...shown, properties: Object.fromEntries([...held, ...cleared]) }
}

const shows = ["properties", "propertiesWithHistory", "associations", "archived"]

const shownBy = ({ query }: Asked) =>
  Either.gen(function* () {
    const archived = yield* flagOf("archived", query.one("archived"))
    if (query.many("propertiesWithHistory").length > 0) {
      return yield* Either.left(invalid("propertiesWithHistory is not supported"))
    }
    const associations = yield* Either.all(query.many("associations").map(typeNamed))
    return { archived, associations, properties: query.many("properties") }
  })

const list: Handler = (asked, type) =>
  Either.gen(function* () {
    const { account, query, request } = asked
    const { archived, associations, properties } = yield* shownBy(asked)
    const limit = yield* limitOf(query.one("limit"), 10, 100)
    const after = yield* cursorOf(query.one("after"))
    const records = recordsOf(account, type).filter((record) => (record.archivedAt !== undefined) === archived)
    const { next, slice } = pageAfter(records, (record) => record.id, after, limit)
    const results = slice.map((record) => ({
      ...view(account, type, record, properties),
      ...associationsOf(account, type, record.id, associations)
    }))
    return ok(page(results, next, request))
  })

const get: Handler = (asked, type) =>
  Either.gen(function* () {
    const { account, at, query } = asked
    const { archived, associations, properties } = yield* shownBy(asked)
    const record = yield* find(account, type, at("objectId"), query.one("idProperty"), archived)
    return ok({
      ...view(account, type, record, properties),
      ...associationsOf(account, type, record.id, associations)
    })
  })

const post: Handler = ({ account, request }, type) =>
  Either.gen(function* () {
    const body = yield* bodyOf(CreateBody, request)
    const record = keep(account, type, yield* draft(account, type, body))
    return ok(echo(account, type, record, body.properties), 201)
  })

const patch: Handler = ({ account, at, query, request }, type) =>
  Either.gen(function* () {
    const body = yield* bodyOf(UpdateBody, request)
    const record = yield* find(account, type, at("objectId"), query.one("idProperty"), false)
    const revised = yield* written(account, type, body.properties, record)
    put(account, type, revised)
    return ok(echo(account, type, revised, body.properties))
  })

const remove: Handler = ({ account, at }, type) =>
  Either.gen(function* () {
    const known = recordOf(account, type, at("objectId"))
    // archiving what is archived is no error
    const record = known ?? (yield* find(account, type, at("objectId"), undefined, false))
    archive(account, type, record)
    return noContent
  })

/**
 * Two records become a third, with the values of the primary one where both have some; their ids lead to it from then on.
 * https://knowledge.hubspot.com/records/merge-records
 */
const merge: Handler = ({ account, request }, type) =>
  Either.gen(function* () {
    const body = yield* bodyOf(MergeBody, request)
    const primary = yield* find(account, type, body.primaryObjectId, undefined, false)
    const other = yield* find(account, type, body.objectIdToMerge, undefined, false)
    if (primary.id === other.id) return yield* Either.left(invalid("A record cannot be merged with itself"))
    const record: Stored = {
      id: nextId(account),
      properties: {
        ...other.properties,
        ...primary.properties,
        hs_merged_object_ids: [primary, other]
          .flatMap((one) => [...partsOf(one.properties.hs_merged_object_ids), one.id])
          .join(";")
      },
      createdAt: Math.min(primary.createdAt, other.createdAt),
      updatedAt: account.now
    }
    const links = [primary, other].flatMap(({ id: from }) =>
      types.flatMap((to) => linksOf(account, type, from, to).map(({ id, typeIds }) => ({ from, to, id, typeIds })))
    )
    for (const { from, id, to } of links) unlink(account, type, from, to, id)
    replace(account, type, [primary, other], record)
    for (const { id, to, typeIds } of links) link(account, type, record.id, to, id, typeIds)
    return ok(view(account, type, record, []))
  })

// Batches -----------------------------------------------------------------------------------------------------------------

const most = 100

const sized = <A extends { readonly inputs: ReadonlyArray<unknown> }>(body: A): Answered<A> =>
  body.inputs.length > most
    ? Either.left(invalid(`Maximum number of inputs is ${most}; you provided ${body.inputs.length}`))
    : Either.right(body)

const couldNotGet = (type: ObjectType, ids: ReadonlyArray<string>) =>
  ids.length === 0
    ? []
    : [
        {
          status: "error",
          category: "OBJECT_NOT_FOUND",
          message: `Could not get some ${type.singular.toUpperCase()} objects, they may be deleted or not exist. Check that ids are valid.`,
          context: { ids }
        }
      ]

const batchRead: Handler = ({ account, query, request }, type) =>
  Either.gen(function* () {
    const archived = yield* flagOf("archived", query.one("archived"))
    const body = yield* Either.flatMap(bodyOf(ReadInputs, request), sized)
    const ids = [...new Set(body.inputs.map((input) => String(input.id)))]
    const found = ids.map((id) => find(account, type, id, body.idProperty, archived))
    const lost = ids.filter((_, index) => Either.isLeft(found[index] ?? Either.left(undefined)))
    const results = found.filter(Either.isRight).map(({ right }) => view(account, type, right, body.properties ?? []))
    return batch(account.now, results, couldNotGet(type, lost))
  })

const batchCreate: Handler = ({ account, request }, type) =>
  Either.gen(function* () {
    const { inputs } = yield* Either.flatMap(bodyOf(CreateInputs, request), sized)
    const emails = inputs.flatMap(({ properties: { email = "" } }) => (email === "" ? [] : [email]))
    if (type.name === "contacts" && new Set(emails).size < emails.length) {
      return yield* Either.left(invalid("Duplicate emails found in the batch"))
    }
    const drafts = inputs.map((input) => draft(account, type, input))
    // inputs are refused one by one only when each carries a trace id
    if (!inputs.every((input) => input.objectWriteTraceId !== undefined)) yield* Either.all(drafts)
    const results: Array<unknown> = []
    const errors: Array<unknown> = []
    inputs.forEach(({ objectWriteTraceId, properties }, index) => {
      const made = drafts[index]
      const trace = objectWriteTraceId === undefined ? {} : { objectWriteTraceId }
      if (made === undefined) return
      if (Either.isRight(made)) {
        results.push({ ...echo(account, type, keep(account, type, made.right), properties), ...trace })
      } else errors.push({ ...errorOf(made.left), context: { objectWriteTraceId: [objectWriteTraceId] } })
    })
    return batch(account.now, results, errors, 201)
  })

const errorOf = (refused: Reply) =>
  typeof refused.body === "object" && refused.body !== null ? { ...refused.body } : { status: "error" }

const batchUpdate: Handler = ({ account, request }, type) =>
  Either.gen(function* () {
    const { inputs } = yield* Either.flatMap(bodyOf(UpdateInputs, request), sized)
    const named = inputs.map((input) => ({
      input,
      record: find(account, type, String(input.id), input.idProperty, false)
    }))
    const lost = named.flatMap(({ input, record }) => (Either.isLeft(record) ? [String(input.id)] : []))
    const changes = yield* Either.all(
      named.flatMap(({ input, record }) =>
        Either.isLeft(record)
          ? []
          : [Either.map(written(account, type, input.properties, record.right), (revised) => ({ input, revised }))]
      )
    )
    for (const { revised } of changes) put(account, type, revised)
    const results = changes.map(({ input, revised }) => echo(account, type, revised, input.properties))
    return batch(account.now, results, couldNotGet(type, lost))
  })

const batchArchive: Handler = ({ account, request }, type) =>
  Either.gen(function* () {
    const { inputs } = yield* Either.flatMap(bodyOf(ArchiveInputs, request), sized)
    for (const { id } of inputs) {
      const record = recordOf(account, type, String(id))
      if (record !== undefined) archive(account, type, record)
    }
    return noContent
  })

const table: ReadonlyArray<readonly [Method, path: string, parameters: ReadonlyArray<string>, Handler]> = [
  ["GET", "", [...shows, "limit", "after"], list],
  ["POST", "", [], post],
  ["GET", "/:objectId", [...shows, "idProperty"], get],
  ["PATCH", "/:objectId", ["idProperty"], patch],
  ["DELETE", "/:objectId", [], remove],
  ["POST", "/merge", [], merge],
  ["POST", "/batch/read", ["archived"], batchRead],
  ["POST", "/batch/create", [], batchCreate],
  ["POST", "/batch/update", [], batchUpdate],
  ["POST", "/batch/archive", [], batchArchive]
]

/**
 * Milliseconds until a search finds what was written: "a few moments".
 * https://developers.hubspot.com/docs/api-reference/search/guide
 */
const lag = 5000

/** The same API under its three addresses: v3, v3 as newer types have it, and the date version. */
const bases = ["/crm/v3/objects", "/crm/objects/v3", "/crm/objects/2026-03"]

export const objectRoutes: ReadonlyArray<Route> = bases.flatMap((base) => [
  { ...route("POST", `${base}/:objectType/search`, [], search), lag },
  ...table.map(([method, path, parameters, handler]) =>
    route(method, `${base}/:objectType${path}`, parameters, (asked) =>
      Either.flatMap(typeNamed(asked.at("objectType")), (type) => handler(asked, type))
    )
  )
])
