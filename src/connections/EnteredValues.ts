import { Either, Option, Record } from "effect"
import { type FieldErrors, Unprocessable } from "../platform/Errors.ts"
import type { Certificate, Field, OAuth2 } from "../providers/base/Authorization.ts"
import type { CredentialValues } from "../providers/Credentials.ts"
import { readPrivateKey } from "./PrivateKeys.ts"

type Values = CredentialValues["values"]

/** Forms that values must have; `keys` is for `privateKey`. */
interface Forms extends Pick<OAuth2, "values"> {
  readonly keys?: Certificate["keys"]
}

/** Errors in values from outside, by name: those without the form that the integration declares. */
const wrongValues = ({ values: forms = {} }: Forms, values: Values): FieldErrors =>
  Object.fromEntries(
    Object.entries(forms).flatMap(([name, { expected, pattern }]) => {
      const value = values[name]
      return value === undefined || pattern.exec(value)?.[0] === value ? [] : [[name, expected] as const]
    })
  )

const wrongKey = ({ keys }: Forms, { privateKey }: Values): FieldErrors =>
  keys === undefined || privateKey === undefined
    ? {}
    : Either.match(readPrivateKey(privateKey, keys), {
        onLeft: (expected): FieldErrors => ({ privateKey: expected }),
        onRight: () => ({})
      })

/**
 * Checks the values of credentials from elsewhere: none may be wrong or, if needed, missing. Errors are reported at
 * `credentials.<name>`. The operator's own (`isTrusted`) must only be there; a private key must always be one.
 */
export const checkImported = (
  forms: Forms,
  values: Values,
  isTrusted: boolean
): Either.Either<Values, Unprocessable> => {
  const missing = Record.filterMap(forms.values ?? {}, ({ expected, needed }, name) =>
    needed === true && values[name] === undefined ? Option.some(expected) : Option.none()
  )
  const wrong = isTrusted ? {} : wrongValues(forms, values)
  return orRefuse(values, { ...wrong, ...wrongKey(forms, values), ...missing }, "credentials")
}

/** Returns the values unless some are wrong; errors are reported at `<path>.<name>`. */
export const checkValues = (forms: Forms, values: Values, path: string): Either.Either<Values, Unprocessable> =>
  orRefuse(values, wrongValues(forms, values), path)

/**
 * Reads the values that an end user entered, without empty ones. All fields must be known and right; errors are reported at
 * `fields.<name>`.
 */
export const readFields = (
  forms: Forms,
  fields: ReadonlyArray<Field>,
  given: Values
): Either.Either<Values, Unprocessable> => {
  const values = Record.filter(
    Record.map(given, (text) => text.trim()),
    (text) => text !== ""
  )
  const strange = Record.filterMap(given, (_, name) =>
    fields.some((field) => field.name === name) ? Option.none() : Option.some("is not known here")
  )
  const wrong = fields.flatMap((field) => {
    const refusal = refusalOf(field, values[field.name])
    return refusal === undefined ? [] : [[field.name, refusal] as const]
  })
  const misshapen = { ...wrongValues(forms, values), ...wrongKey(forms, values) }
  return orRefuse(values, { ...strange, ...misshapen, ...Object.fromEntries(wrong) }, "fields")
}

const orRefuse = (values: Values, errors: FieldErrors, path: string): Either.Either<Values, Unprocessable> =>
  Object.keys(errors).length === 0
    ? Either.right(values)
    : Either.left(new Unprocessable({ errors: Record.mapKeys(errors, (name) => `${path}.${name}`) }))

const refusalOf = ({ optional, options }: Field, value: string | undefined) => {
  if (value === undefined) return optional === true ? undefined : "is required"
  if (options === undefined || options.some((option) => option.value === value)) return undefined
  return `must be one of ${options.map((option) => option.value).join(", ")}`
}
