import { Clash, Invalid, isNative, type ReadError } from "tributary/provider"

/** Names of native fields, each with what is wrong with it. */
const fieldsOf = (fields: unknown): { readonly [name: string]: string } =>
  Object.fromEntries(Object.entries(isNative(fields) ? fields : {}).map(([name, said]) => [name, String(said)]))

/** What Acme's refusals mean, where the status does not say it. https://developer.acme.example/errors */
export const readError: ReadError = ({ body, status }) => {
  const error = isNative(body) && isNative(body.error) ? body.error : {}
  const detail = typeof error.message === "string" ? error.message : undefined
  switch (status) {
    case 400:
      return { reason: new Invalid({ fields: fieldsOf(error.fields) }), detail }
    case 409:
      return { reason: new Clash(), detail }
    default:
      return { detail }
  }
}
