import { Either, Predicate } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import type { SimulatedRequest } from "../../simulation/Simulator.ts"
import type { Complaint } from "../../simulation/table/Complaint.ts"
import { write } from "../../simulation/table/Kind.ts"
import {
  alreadyModified,
  type Checked,
  deletedFault,
  faultOf,
  noData,
  noList,
  notJson,
  several,
  tooManyRecords
} from "./Answers.ts"
import { idOf, type Module } from "./Fields.ts"
import { pipelines } from "./Deals.ts"
import { isHidden, withoutHidden } from "./Hidden.ts"
import { fieldNamed, follow, moduleNamed, nameOf } from "./Modules.ts"
import { byline, isId, me, stampOf } from "./Stamps.ts"

/** Notes activity on the records that a record is about. */
const touch = (org: Org, doc: Doc): void => {
  for (const name of ["What_Id", "Who_Id", "Parent_Id"]) {
    const about = follow(org, doc[name])
    if (about === undefined || fieldNamed(about.module, "Last_Activity_Time") === undefined) continue
    org.put(about.module.name, String(about.doc.id), { ...about.doc, Last_Activity_Time: doc.Modified_Time })
  }
}

const detailsOf = (org: Org, doc: Doc): Doc => ({
  Modified_Time: doc.Modified_Time,
  Modified_By: byline(org, doc.Modified_By),
  Created_Time: doc.Created_Time,
  id: doc.id,
  Created_By: byline(org, doc.Created_By),
  $approval_state: "approved"
})

/** Deals of an organisation without pipelines are in the one that it has all the same. */
const placed = (org: Org, { name }: Module): Doc =>
  name === "Deals" && isHidden(org, "Pipeline") ? { Pipeline: pipelines[0]?.name } : {}

/** Makes a record, or changes the one that was before. */
export const enter = (org: Org, module: Module, body: Doc, row: number, before?: Doc): Checked<Doc> =>
  Either.mapBoth(write(org, module, { ...withoutHidden(org, body), ...placed(org, module) }, before), {
    onLeft: (problems) => {
      const found = problems.map((one) => faultOf(org, row, one, fieldNamed(module, one.path)?.value.as))
      // only values that are taken are refused together, other faults one at a time
      const [first = notJson, ...others] = found
      return first.code === "DUPLICATE_DATA" && others.length > 0 ? several(found) : first
    },
    onRight: (doc) => {
      touch(org, doc)
      return detailsOf(org, doc)
    }
  })

/** Changes a record unless it was changed since the time of `If-Unmodified-Since`. */
export const update = (
  org: Org,
  module: Module,
  change: { readonly before: Doc; readonly body: Doc; readonly row: number; readonly since: number | undefined }
): Checked<Doc> => {
  const { before, body, row, since = Infinity } = change
  return Date.parse(String(before.Modified_Time)) > since
    ? Either.left(alreadyModified(detailsOf(org, before)))
    : enter(org, module, body, row, before)
}

/** The record a row of a request names. */
export const named = (org: Org, module: Module, body: Doc, row: number): Checked<Doc> => {
  const { id = null } = body
  const wrong = (complaint: Complaint) => faultOf(org, row, { path: "id", complaint })
  if (id === null) return Either.left(wrong({ is: "required" }))
  if (typeof id !== "string" || !isId(id)) return Either.left(wrong({ is: "form", form: "bigint" }))
  return Either.fromNullable(org.get(module.name, id), () => wrong({ is: "absent" }))
}

/** Where the deleted records of a module are. */
export const binOf = (module: Module) => `deleted:${module.name}`

/** Moves a record to the recycle bin, with the notes on it. */
export const remove = (org: Org, module: Module, id: string): Checked<Doc> => {
  const doc = org.get(module.name, id)
  if (doc === undefined) return Either.left(deletedFault(id))
  org.remove(module.name, id)
  org.put(binOf(module), id, {
    id,
    display_name: nameOf(org, module, doc),
    type: "recycle",
    created_by: doc.Created_By,
    deleted_by: me(org),
    deleted_time: stampOf(org.now)
  })
  const notes = moduleNamed("Notes")
  if (notes !== undefined) {
    for (const note of org.all(notes.name)) {
      if (idOf(note.Parent_Id) === id) remove(org, notes, String(note.id))
    }
  }
  return Either.right({ id })
}

/** The records of a request's body: `{"data": […]}`. */
export const recordsIn = ({ text }: SimulatedRequest, most: number): Checked<ReadonlyArray<Doc>> =>
  Either.gen(function* () {
    const body = yield* Either.try({ try: (): unknown => JSON.parse(text), catch: () => notJson })
    if (!Predicate.isReadonlyRecord(body) || Array.isArray(body)) return yield* Either.left(notJson)
    if (body.data === undefined) return yield* Either.left(noData)
    if (!Array.isArray(body.data) || body.data.length === 0) return yield* Either.left(noList)
    if (body.data.length > most) return yield* Either.left(tooManyRecords(most))
    const records: ReadonlyArray<unknown> = body.data
    return yield* Either.all(
      records.map((one) =>
        Predicate.isReadonlyRecord(one) && !Array.isArray(one) ? Either.right(one) : Either.left(notJson)
      )
    )
  })
