import { Either, Predicate } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import type { SimulatedRequest } from "../../simulation/Simulator.ts"
import {
  alreadyModified,
  type Checked,
  deletedFault,
  duplicate,
  type Fault,
  missing,
  noData,
  noList,
  notJson,
  placeOf,
  several,
  tooManyRecords,
  unknownField,
  unknownId,
  wrongType
} from "./Answers.ts"
import { type Module, stampOf } from "./Fields.ts"
import { byline, fieldNamed, isId, me, moduleNamed, nameOf, nextId } from "./Modules.ts"
import { follow, kept } from "./Values.ts"

/** The fields of a request's record, checked. Fields nobody can write, and keys of the system, are left as they are. */
const values = (org: Org, module: Module, body: Doc, row: number): Checked<Doc> =>
  Either.gen(function* () {
    const entries: Array<readonly [string, unknown]> = []
    for (const [name, value] of Object.entries(body)) {
      if (name === "id" || name === "Layout" || name.startsWith("$")) continue
      const field = fieldNamed(module, name)
      if (field === undefined) return yield* Either.left(unknownField(placeOf(row, name)))
      if (field.readOnly !== true) entries.push([name, yield* kept({ org, field, value, row, body })])
    }
    return Object.fromEntries(entries)
  })

const byValue = (org: Org, module: Module, name: string, value: unknown) =>
  org.all(module.name).find((doc) => String(doc[name] ?? "").toLowerCase() === String(value).toLowerCase())

const duplicates = (org: Org, module: Module, given: Doc, id: unknown, row: number): ReadonlyArray<Fault> =>
  module.fields.flatMap(({ name, unique }) => {
    if (unique !== true || (given[name] ?? null) === null) return []
    const other = byValue(org, module, name, given[name])
    if (other === undefined || other.id === id) return []
    return [duplicate(placeOf(row, name), byline(org, other.Owner), String(other.id))]
  })

/** A record that is complete and free of clashes. */
const whole = (
  org: Org,
  module: Module,
  write: { readonly doc: Doc; readonly before: Doc | undefined; readonly given: Doc; readonly row: number }
): Checked<Doc> => {
  const { before, doc, given, row } = write
  const absent = module.fields.find(({ mandatory, name }) => mandatory === true && (doc[name] ?? null) === null)
  if (absent !== undefined) return Either.left(missing(placeOf(row, absent.name)))
  const clashes = duplicates(org, module, given, doc.id, row)
  const [clash] = clashes
  if (clash !== undefined) return Either.left(clashes.length === 1 ? clash : several(clashes))
  return module.prepare?.({ doc, before, row, org }) ?? Either.right(doc)
}

/** A new record with its initial values, as the token's user makes it. */
export const fresh = (org: Org, module: Module, given: Doc): Doc => {
  const at = stampOf(org.now)
  const user = me(org)
  return {
    ...Object.fromEntries(
      module.fields.flatMap(({ compute, initial, name }) => (compute === undefined ? [[name, initial ?? null]] : []))
    ),
    Owner: user,
    ...given,
    Created_Time: at,
    Created_By: user,
    Modified_Time: at,
    Modified_By: user,
    ...(fieldNamed(module, "Last_Activity_Time") === undefined ? {} : { Last_Activity_Time: at }),
    id: nextId(org)
  }
}

/** Keeps a record; what it is about has seen activity. */
const keep = (org: Org, module: Module, doc: Doc): void => {
  org.put(module.name, String(doc.id), doc)
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

export const create = (org: Org, module: Module, body: Doc, row: number): Checked<Doc> =>
  Either.gen(function* () {
    const given = yield* values(org, module, body, row)
    const doc = yield* whole(org, module, { doc: fresh(org, module, given), before: undefined, given, row })
    keep(org, module, doc)
    return detailsOf(org, doc)
  })

/** Changes a record; `since` is the time of `If-Unmodified-Since`. */
export const update = (
  org: Org,
  module: Module,
  change: { readonly before: Doc; readonly body: Doc; readonly row: number; readonly since?: number }
): Checked<Doc> =>
  Either.gen(function* () {
    const { before, body, row, since } = change
    if (since !== undefined && Date.parse(String(before.Modified_Time)) > since) {
      return yield* Either.left(alreadyModified(detailsOf(org, before)))
    }
    const given = yield* values(org, module, body, row)
    const at = stampOf(org.now)
    const changed = {
      ...before,
      ...given,
      Modified_Time: at,
      Modified_By: me(org),
      ...(fieldNamed(module, "Last_Activity_Time") === undefined ? {} : { Last_Activity_Time: at })
    }
    const doc = yield* whole(org, module, { doc: changed, before, given, row })
    keep(org, module, doc)
    return detailsOf(org, doc)
  })

/** The record a row of a request names. */
export const named = (org: Org, module: Module, body: Doc, row: number): Checked<Doc> => {
  const place = placeOf(row, "id")
  if (body.id === undefined || body.id === null) return Either.left(missing(place))
  if (typeof body.id !== "string" || !isId(body.id)) return Either.left(wrongType(place, "bigint"))
  return Either.fromNullable(org.get(module.name, body.id), () => unknownId(place))
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
      if (Predicate.hasProperty(note.Parent_Id, "id") && note.Parent_Id.id === id) remove(org, notes, String(note.id))
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
