import { Either, Schema } from "effect"
import type { Account } from "../../simulation/Account.ts"
import type { Method, Route } from "../../simulation/Simulator.ts"
import {
  type Answered,
  type Asked,
  batch,
  bodyOf,
  cursorOf,
  invalid,
  limitOf,
  noContent,
  ok,
  page,
  pageAfter,
  route
} from "./Answers.ts"
import {
  definitionOf,
  definitionsBetween,
  endOf,
  kindsBetween,
  kindView,
  labelOf,
  link,
  type Link,
  linksOf,
  makeLabel,
  unlink
} from "./Associations.ts"
import { AssociationSpecs } from "./Objects.ts"
import { type ObjectType, typeNamed } from "./Types.ts"

// Associations v4: https://developers.hubspot.com/docs/api-reference/crm-associations-v4/guide

const Id = Schema.Struct({ id: Schema.Union(Schema.String, Schema.Int) })

const inputsOf = <A, I>(input: Schema.Schema<A, I>) => Schema.Struct({ inputs: Schema.Array(input) })

const ReadInputs = inputsOf(Schema.Struct({ ...Id.fields, after: Schema.optional(Schema.String) }))
const PairInputs = inputsOf(Schema.Struct({ from: Id, to: Id }))
const LabelledInputs = inputsOf(Schema.Struct({ from: Id, to: Id, types: AssociationSpecs }))
const ArchiveInputs = inputsOf(Schema.Struct({ from: Id, to: Schema.Array(Id) }))

type Handler = (asked: Asked, from: ObjectType, to: ObjectType) => Answered

const pageSize = 500

const withLabels =
  (account: Account) =>
  ({ id, typeIds }: Link) => ({
    toObjectId: id,
    associationTypes: typeIds.map((typeId) => kindView(account, typeId))
  })

const plainBetween = (from: ObjectType, to: ObjectType): Answered<number> => {
  const plain = definitionsBetween(from, to).find((definition) => definition.label === null)
  return plain === undefined
    ? Either.left(invalid(`No association type is defined between ${from.name} and ${to.name}`))
    : Either.right(plain.typeId)
}

/** Both ends of a link exist. */
const ends = (account: Account, from: ObjectType, id: string, to: ObjectType, toId: string) =>
  Either.all([endOf(account, from, id, "FROM"), endOf(account, to, toId, "TO")])

const specsOf = (
  account: Account,
  from: ObjectType,
  to: ObjectType,
  specs: typeof AssociationSpecs.Type
): Answered<ReadonlyArray<number>> =>
  Either.all(
    specs.map((spec) =>
      Either.flatMap(definitionOf(account, from, spec), (definition) =>
        definition.to === to.name
          ? Either.right(definition.typeId)
          : Either.left(
              invalid(
                `${spec.associationTypeId} is not a valid association type between ${from.singular.toUpperCase()} and ${to.singular.toUpperCase()}`,
                { subCategory: "crm.associations.INVALID_ASSOCIATION_TYPE" }
              )
            )
      )
    )
  )

const read: Handler = ({ account, at, query, request }, from, to) =>
  Either.gen(function* () {
    const limit = yield* limitOf(query.one("limit"), pageSize, pageSize)
    const after = yield* cursorOf(query.one("after"))
    const id = yield* endOf(account, from, at("objectId"), "FROM")
    const { next, slice } = pageAfter(linksOf(account, from, id, to), (one) => one.id, after, limit)
    return ok(page(slice.map(withLabels(account)), next, request))
  })

const defaultLink = (account: Account, from: ObjectType, id: string, to: ObjectType, toId: string) =>
  Either.gen(function* () {
    const there = yield* plainBetween(from, to)
    const back = yield* plainBetween(to, from)
    yield* ends(account, from, id, to, toId)
    return () => {
      link(account, from, id, to, toId, [])
      const spec = (associationTypeId: number) => ({ associationCategory: "HUBSPOT_DEFINED", associationTypeId })
      return [
        { from: { id }, to: { id: toId }, associationSpec: spec(there) },
        { from: { id: toId }, to: { id }, associationSpec: spec(back) }
      ]
    }
  })

const putDefault: Handler = ({ account, at }, from, to) =>
  Either.map(defaultLink(account, from, at("objectId"), to, at("toObjectId")), (keep) => batch(account.now, keep()))

const labelledView = (
  account: Account,
  from: ObjectType,
  id: string,
  to: ObjectType,
  toId: string,
  typeIds: ReadonlyArray<number>
) => ({
  fromObjectTypeId: from.typeId,
  fromObjectId: id,
  toObjectTypeId: to.typeId,
  toObjectId: toId,
  labels: typeIds.map((typeId) => labelOf(account, typeId)).filter((label) => label !== null)
})

const putLabelled: Handler = ({ account, at, request }, from, to) =>
  Either.gen(function* () {
    const [id, toId] = [at("objectId"), at("toObjectId")]
    const labels = yield* specsOf(account, from, to, yield* bodyOf(AssociationSpecs, request))
    if (labels.length === 0) return yield* Either.left(invalid("At least one association type is needed"))
    yield* ends(account, from, id, to, toId)
    return ok(labelledView(account, from, id, to, toId, link(account, from, id, to, toId, labels, "replace")), 201)
  })

const remove: Handler = ({ account, at }, from, to) => {
  unlink(account, from, at("objectId"), to, at("toObjectId"))
  return Either.right(noContent)
}

const noneFound = (from: ObjectType, id: string, to: ObjectType) => ({
  status: "error",
  category: "OBJECT_NOT_FOUND",
  subCategory: "crm.associations.NO_ASSOCIATIONS_FOUND",
  message: `No ${to.singular} is associated with ${from.singular} ${id}.`,
  context: { fromObjectId: [id], fromObjectType: [from.singular], toObjectType: [to.singular] }
})

const batchRead: Handler = ({ account, request }, from, to) =>
  Either.gen(function* () {
    const { inputs } = yield* bodyOf(ReadInputs, request)
    if (inputs.length > 1000) return yield* Either.left(invalid("Maximum number of inputs is 1000"))
    const results: Array<unknown> = []
    const errors: Array<unknown> = []
    for (const input of inputs) {
      const id = String(input.id)
      const after = yield* cursorOf(input.after)
      const links = linksOf(account, from, id, to)
      const { next, slice } = pageAfter(links, (one) => one.id, after, pageSize)
      if (links.length === 0) errors.push(noneFound(from, id, to))
      else {
        const paging = next === undefined ? {} : { paging: { next: { after: next } } }
        results.push({ from: { id }, to: slice.map(withLabels(account)), ...paging })
      }
    }
    return batch(account.now, results, errors)
  })

const batchCreate: Handler = ({ account, request }, from, to) =>
  Either.gen(function* () {
    const { inputs } = yield* bodyOf(LabelledInputs, request)
    const links = yield* Either.all(
      inputs.map((input) =>
        Either.gen(function* () {
          const labels = yield* specsOf(account, from, to, input.types)
          const [id, toId] = yield* ends(account, from, String(input.from.id), to, String(input.to.id))
          return { id, toId, labels }
        })
      )
    )
    const results = links.map(({ id, labels, toId }) =>
      labelledView(account, from, id, to, toId, link(account, from, id, to, toId, labels))
    )
    return batch(account.now, results, [], 201)
  })

const batchDefault: Handler = ({ account, request }, from, to) =>
  Either.gen(function* () {
    const { inputs } = yield* bodyOf(PairInputs, request)
    const links = yield* Either.all(
      inputs.map((input) => defaultLink(account, from, String(input.from.id), to, String(input.to.id)))
    )
    return batch(
      account.now,
      links.flatMap((keep) => keep())
    )
  })

const batchArchive: Handler = ({ account, request }, from, to) =>
  Either.gen(function* () {
    const { inputs } = yield* bodyOf(ArchiveInputs, request)
    for (const input of inputs) {
      for (const target of input.to) unlink(account, from, String(input.from.id), to, String(target.id))
    }
    return noContent
  })

const batchArchiveLabels: Handler = ({ account, request }, from, to) =>
  Either.gen(function* () {
    const { inputs } = yield* bodyOf(LabelledInputs, request)
    const labels = yield* Either.all(inputs.map((input) => specsOf(account, from, to, input.types)))
    inputs.forEach((input, index) =>
      unlink(account, from, String(input.from.id), to, String(input.to.id), labels[index] ?? [])
    )
    return noContent
  })

const labels: Handler = ({ account }, from, to) => Either.right(ok({ results: kindsBetween(account, from, to) }))

const LabelBody = Schema.Struct({
  label: Schema.String,
  name: Schema.String,
  inverseLabel: Schema.optional(Schema.String)
})

/** https://developers.hubspot.com/docs/api-reference/crm-associations-v4/guide#create-association-labels */
const createLabel: Handler = ({ account, request }, from, to) =>
  Either.map(bodyOf(LabelBody, request), ({ inverseLabel, label, name }) => {
    const ids = makeLabel(
      account,
      { from: from.name, to: to.name, label, name },
      { label: inverseLabel ?? label, name }
    )
    return ok({ results: ids.map((typeId) => kindView(account, typeId)) })
  })

const links = "/crm/v4/objects/:fromType/:objectId/associations"
const batches = "/crm/v4/associations/:fromType/:toType"

const table: ReadonlyArray<readonly [Method, path: string, Handler, parameters?: ReadonlyArray<string>]> = [
  ["GET", `${links}/:toType`, read, ["after", "limit"]],
  ["PUT", `${links}/default/:toType/:toObjectId`, putDefault],
  ["PUT", `${links}/:toType/:toObjectId`, putLabelled],
  ["DELETE", `${links}/:toType/:toObjectId`, remove],
  ["POST", `${batches}/batch/read`, batchRead],
  ["POST", `${batches}/batch/create`, batchCreate],
  ["POST", `${batches}/batch/associate/default`, batchDefault],
  ["POST", `${batches}/batch/archive`, batchArchive],
  ["POST", `${batches}/batch/labels/archive`, batchArchiveLabels],
  ["GET", `${batches}/labels`, labels],
  ["POST", `${batches}/labels`, createLabel]
]

export const associationRoutes: ReadonlyArray<Route> = table.map(([method, path, handler, parameters = []]) =>
  route(method, path, parameters, (asked) =>
    Either.flatMap(Either.all([typeNamed(asked.at("fromType")), typeNamed(asked.at("toType"))]), ([from, to]) =>
      handler(asked, from, to)
    )
  )
)
