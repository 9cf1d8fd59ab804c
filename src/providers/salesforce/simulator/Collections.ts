import { Either, Predicate } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { badReference, type Fault, noEntity, rolledBack, unknownRecord, wrongParameter } from "./Faults.ts"
import type { SObject } from "./Fields.ts"
import { recordOf, type View } from "./Query.ts"
import { create, objectIn, type Options, type Planned, remove, update } from "./Records.ts"
import { idOf } from "./Ids.ts"
import { sObjectNamed, sObjectOfId } from "./Schema.ts"

// Several records in one request, each with its own result.
// https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_composite_sobjects_collections.htm

type Checked<A> = Either.Either<A, Fault>

const tooMany: Fault = {
  code: "EXCEEDED_MAX_SIZE_REQUEST",
  message: "record limit reached. cannot submit more than 200 records into this call"
}

const failed = ({ code, fields = [], message }: Fault) => ({
  success: false,
  errors: [{ statusCode: code, message, fields }]
})

const succeeded = ({ commit, id }: Planned) => {
  commit()
  return { id, success: true, errors: [] }
}

/** Writes one after the other, or, with `allOrNone`, all or none of them. */
const write = <A>(
  items: ReadonlyArray<A>,
  allOrNone: boolean,
  plan: (item: A) => Checked<Planned>
): Checked<ReadonlyArray<unknown>> => {
  if (items.length > 200) return Either.left(tooMany)
  if (!allOrNone)
    return Either.right(items.map((item) => Either.match(plan(item), { onLeft: failed, onRight: succeeded })))
  const planned = items.map(plan)
  const isWhole = planned.every(Either.isRight)
  return Either.right(
    planned.map(Either.match({ onLeft: failed, onRight: isWhole ? succeeded : () => failed(rolledBack) }))
  )
}

const recordsIn = (text: string) =>
  Either.gen(function* () {
    const body = yield* objectIn(text)
    const given = body["records"]
    const records = Array.isArray(given) ? given.filter(Predicate.isReadonlyRecord) : []
    if (!Array.isArray(given) || records.length < given.length || records.length === 0) {
      return yield* Either.left(wrongParameter("records takes a list of records"))
    }
    return { records, allOrNone: body["allOrNone"] === true }
  })

const typeIn = (record: Doc): Checked<SObject> => {
  const { attributes } = record
  const type = Predicate.isReadonlyRecord(attributes) ? String(attributes["type"] ?? "") : ""
  return Either.fromNullable(sObjectNamed(type), () => noEntity("", type))
}

export const createMany = (org: Org, text: string, options: Options) =>
  Either.flatMap(recordsIn(text), ({ allOrNone, records }) =>
    write(records, allOrNone, (record) =>
      Either.flatMap(typeIn(record), (object) => create(org, object, record, options))
    )
  )

export const updateMany = (org: Org, text: string, options: Options) =>
  Either.flatMap(recordsIn(text), ({ allOrNone, records }) =>
    write(records, allOrNone, (record) =>
      Either.flatMap(typeIn(record), (object) => {
        const { Id, id, ...body } = record
        return update(org, object, String(id ?? Id ?? ""), body, options)
      })
    )
  )

export const deleteMany = (org: Org, query: URLSearchParams) => {
  const ids = (query.get("ids") ?? "").split(",").filter((one) => one !== "")
  if (ids.length === 0) return Either.left(wrongParameter("ids takes a list of ids"))
  return write(ids, query.get("allOrNone") === "true", (one) => {
    if (idOf(one) === undefined) return Either.left(badReference("Id", "Id", one))
    const object = sObjectOfId(one)
    return object === undefined ? Either.left(unknownRecord) : remove(org, object, one)
  })
}

/** Records by id, in the order asked for; null for one that is not there. */
export const readMany = (
  view: View,
  object: SObject,
  ids: ReadonlyArray<string>,
  fields: ReadonlyArray<string>
): Checked<ReadonlyArray<Doc | null>> => {
  if (ids.length === 0 || fields.length === 0) return Either.left(wrongParameter("ids and fields are required"))
  if (ids.length > 2000) return Either.left(tooMany)
  return Either.all(
    ids.map((one): Checked<Doc | null> => {
      const doc = view.org.get(object.name, idOf(one) ?? "")
      return doc === undefined || doc.IsDeleted === true ? Either.right(null) : recordOf(view, { object, doc }, fields)
    })
  )
}
