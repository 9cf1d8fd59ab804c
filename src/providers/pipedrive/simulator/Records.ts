import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { type Answered, badRequest, invalid, notAllowed, type Problem, stamp } from "./Answers.ts"
import type { Entity, Field } from "./Entities.ts"
import { type Settled, settle } from "./Rules.ts"

/** What a body gives for fields, checked; every problem where there are some. */
export const checked = (
  account: Account,
  fields: ReadonlyArray<Field>,
  given: Doc,
  isNew: boolean,
  prefix = ""
): Either.Either<Doc, ReadonlyArray<Problem>> => {
  const byCode = new Map(fields.map((field) => [field.code, field]))
  const problems: Array<Problem> = []
  const values: { [code: string]: unknown } = {}
  for (const [code, value] of Object.entries(given)) {
    const field = byCode.get(code)
    const path = `${prefix}${code}`
    if (field?.writes === undefined || (field.writes === "create" && !isNew)) {
      problems.push({ path, complaint: notAllowed })
    } else if (value === null && field.isNullable === true) {
      values[code] = field.initial
    } else {
      const result = field.kind.check(value, account)
      if (Either.isRight(result)) values[code] = result.right
      else problems.push({ path, complaint: result.left })
    }
  }
  return problems.length > 0 ? Either.left(problems) : Either.right(values)
}

/** What a body says about a record, its custom fields apart. */
const read = (account: Account, entity: Entity, body: Doc, isNew: boolean): Settled => {
  const { custom_fields: custom, ...own } = body
  const hasCustom = custom !== undefined && entity.customFields !== undefined
  const fields = checked(account, entity.fields, hasCustom ? own : body, isNew)
  const customs: Settled = !hasCustom
    ? Either.right({})
    : Predicate.isRecord(custom)
      ? checked(account, entity.customFields, custom, isNew, "custom_fields.")
      : Either.left([{ path: "custom_fields", complaint: "must be an object" }])
  const problems = [fields, customs].flatMap((one) => (Either.isLeft(one) ? one.left : []))
  if (Either.isLeft(fields) || Either.isLeft(customs)) return Either.left(problems)
  return Either.right({ ...fields.right, ...(hasCustom ? { custom_fields: customs.right } : {}) })
}

/** Writes a body onto a new record or an old one, and keeps it. */
export const write = (account: Account, entity: Entity, body: Doc, before?: Doc): Answered<Doc> =>
  Either.gen(function* () {
    const refused = entity.fields.find(({ code, refusal }) => refusal !== undefined && body[code] !== undefined)
    if (refused?.refusal !== undefined) return yield* Either.left(badRequest(refused.refusal))
    const given = yield* Either.mapLeft(read(account, entity, body, before === undefined), invalid)
    const now = stamp(account.now)
    const base = before ?? {
      ...Object.fromEntries(entity.fields.map(({ code, initial }) => [code, initial])),
      add_time: now,
      custom_fields: {}
    }
    const { custom_fields: custom, ...own } = given
    const customs = Predicate.isRecord(base.custom_fields) ? base.custom_fields : {}
    const merged = {
      ...base,
      ...own,
      custom_fields: Predicate.isRecord(custom) ? { ...customs, ...custom } : customs
    }
    const settled = yield* Either.mapLeft(settle({ account, entity, given, before, after: merged }), invalid)
    const id = before?.id ?? account.nextId()
    const record = { ...settled, id, update_time: now }
    account.put(entity.name, String(id), record)
    return record
  })

export interface Shown {
  readonly customFields?: ReadonlyArray<string> | undefined
  readonly optional?: ReadonlyArray<string> | undefined
  /** Options as `{id, label}`. */
  readonly optionLabels?: boolean | undefined
  /** `labels` beside `label_ids`. */
  readonly labels?: boolean | undefined
}

const labelled = ({ kind: { options } }: Field, value: unknown): unknown => {
  const one = (id: unknown) => ({ id, label: options?.find((option) => option.id === id)?.label ?? null })
  return Array.isArray(value) ? value.map(one) : value === null ? null : one(value)
}

/** A record as an answer shows it. */
export const view = (entity: Entity, record: Doc, shown: Shown = {}): Doc => {
  const own = entity.fields.filter(({ code, isOptional }) => isOptional !== true || shown.optional?.includes(code))
  const labels = entity.fields.find(({ code }) => code === "label_ids")
  const customs = Predicate.isRecord(record.custom_fields) ? record.custom_fields : {}
  const valueOf = (field: Field) => {
    const value = customs[field.code] ?? null
    return shown.optionLabels === true && field.kind.options !== undefined ? labelled(field, value) : value
  }
  return {
    ...Object.fromEntries(own.map(({ code, initial }) => [code, record[code] ?? initial])),
    ...(shown.labels === true && labels !== undefined ? { labels: labelled(labels, record.label_ids) } : {}),
    ...(entity.customFields === undefined
      ? {}
      : {
          custom_fields: Object.fromEntries(
            entity.customFields
              .filter(({ code }) => shown.customFields?.includes(code) ?? true)
              .map((field) => [field.code, valueOf(field)])
          )
        })
  }
}
