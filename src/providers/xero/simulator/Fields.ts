import { Either, Predicate } from "effect"
import { isDay } from "../../simulation/Period.ts"
import type { Doc } from "../../simulation/Account.ts"
import { compact } from "../../simulation/Docs.ts"
import { invalidData, type Outcome } from "./Answers.ts"

/** A member of a record or of a part of it, as the API description types it. */
export type Field =
  | { readonly kind: "text"; readonly max?: number }
  | { readonly kind: "id" | "number" | "flag" | "day" | "stamp" }
  | { readonly kind: "one"; readonly of: ReadonlyArray<string> }
  | { readonly kind: "part" | "parts"; readonly fields: Fields }
  /** Set by Xero: accepted in bodies, since reads return it, but ignored. */
  | { readonly kind: "own"; readonly field: Field }

export interface Fields {
  readonly [name: string]: Field
}

export const text = (max?: number): Field => ({ kind: "text", ...(max === undefined ? {} : { max }) })
export const id: Field = { kind: "id" }
export const number: Field = { kind: "number" }
export const flag: Field = { kind: "flag" }
export const day: Field = { kind: "day" }
export const one = (...of: ReadonlyArray<string>): Field => ({ kind: "one", of })
export const part = (fields: Fields): Field => ({ kind: "part", fields })
export const parts = (fields: Fields): Field => ({ kind: "parts", fields })
export const own = (field: Field): Field => ({ kind: "own", field })
export const stamp: Field = own({ kind: "stamp" })

/** Members that most records have and that bodies cannot set. */
export const common: Fields = {
  UpdatedDateUTC: stamp,
  UpdatedDateUTCString: own(text()),
  HasAttachments: own(flag),
  Attachments: own(parts({})),
  HasErrors: own(flag),
  HasValidationErrors: own(flag),
  StatusAttributeString: own(text()),
  ValidationErrors: own(parts({})),
  Warnings: own(parts({}))
}

export const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Parses a day in any format that bodies may use. */
const dayOf = (written: string): string | undefined => {
  const milliseconds = /^\/Date\((-?\d+)(?:[+-]\d{4})?\)\/$/.exec(written)?.[1]
  const found =
    milliseconds === undefined ? written.slice(0, 10) : new Date(Number(milliseconds)).toISOString().slice(0, 10)
  return isDay(found) ? found : undefined
}

const unreadable = (path: string) => Either.left(invalidData(`The value given for '${path}' is not valid.`))

const unrecognised = (name: string) =>
  Either.left(
    invalidData(
      `The element '${name}' was not recognised. Ensure the element name has the correct case and that there are no duplicate elements of the same name.`
    )
  )

const taken = (field: Field, value: unknown, path: string, messages: Array<string>): Outcome<unknown> => {
  switch (field.kind) {
    case "own":
      return Either.right(undefined)
    case "text": {
      if (typeof value !== "string" && typeof value !== "number") return unreadable(path)
      const written = String(value)
      if (field.max !== undefined && written.length > field.max)
        messages.push(`The length of ${path} must not exceed ${field.max} characters.`)
      return Either.right(written)
    }
    case "number": {
      const found = typeof value === "string" && value.trim() !== "" ? Number(value) : value
      return typeof found === "number" && Number.isFinite(found) ? Either.right(found) : unreadable(path)
    }
    case "flag":
      if (value === true || value === "true") return Either.right(true)
      return value === false || value === "false" ? Either.right(false) : unreadable(path)
    case "id":
      if (value === "") return Either.right(undefined)
      return typeof value === "string" && uuid.test(value) ? Either.right(value.toLowerCase()) : unreadable(path)
    case "stamp":
    case "day": {
      if (value === "") return Either.right(undefined)
      const found = typeof value === "string" ? dayOf(value) : undefined
      return found === undefined ? unreadable(path) : Either.right(found)
    }
    case "one":
      if (value === "") return Either.right(undefined)
      return typeof value === "string" && field.of.includes(value) ? Either.right(value) : unreadable(path)
    case "part":
      return Predicate.isRecord(value) ? takenAll(field.fields, value, `${path}.`, messages) : unreadable(path)
    case "parts":
      if (!Array.isArray(value)) return unreadable(path)
      return Either.all(
        value.map((member) =>
          Predicate.isRecord(member) ? takenAll(field.fields, member, `${path}.`, messages) : unreadable(path)
        )
      )
  }
}

const takenAll = (fields: Fields, body: Doc, prefix: string, messages: Array<string>): Outcome<Doc> =>
  Either.gen(function* () {
    const found: { [name: string]: unknown } = {}
    for (const [name, value] of Object.entries(body)) {
      const field = fields[name]
      if (field === undefined) return yield* unrecognised(name)
      if (value !== null) found[name] = yield* taken(field, value, prefix + name, messages)
    }
    return compact(found)
  })

/** Reads a body, with complaints about its lengths. Null counts as absent; an empty text clears. */
export const read = (
  fields: Fields,
  body: Doc
): Outcome<{ readonly doc: Doc; readonly messages: ReadonlyArray<string> }> => {
  const messages: Array<string> = []
  return Either.map(takenAll(fields, body, "", messages), (doc) => ({ doc, messages }))
}

/** Finds the field at a path, through parts but not lists. */
export const fieldAt = (fields: Fields, path: ReadonlyArray<string>): Field | undefined => {
  const [name = "", ...rest] = path
  const field = fields[name]
  const bare = field?.kind === "own" ? field.field : field
  if (rest.length === 0) return bare
  return bare?.kind === "part" ? fieldAt(bare.fields, rest) : undefined
}
