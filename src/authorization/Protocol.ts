import { Effect, Option, Schema } from "effect"
import type { Answered } from "./AuthorizationServer.ts"
import { settled } from "./ClientDocuments.ts"
import { scopes } from "./Resource.ts"

/**
 * Mistakes of hosts, and what the library reads too strictly: put right before it sees a request, and in what it answers.
 */

/** A resource in the one way of writing it; the library compares letter by letter. */
const canonical = (resource: string) => (URL.canParse(resource) ? new URL(resource).href.replace(/\/$/, "") : resource)

const withCanonicalResources = (fields: URLSearchParams) => {
  const named = fields.getAll("resource")
  fields.delete("resource")
  for (const one of named) fields.append("resource", canonical(one))
  return fields
}

/**
 * The query of an authorization. A request without a scope of ours, such as none or `openid email profile`, means all of them
 * (https://www.rfc-editor.org/rfc/rfc6749#section-3.3).
 */
export const authorizationQuery = (query: string) => {
  const fields = withCanonicalResources(new URLSearchParams(query))
  const asked = (fields.get("scope") ?? "").split(" ").filter((one) => one !== "")
  if (!asked.some((one) => scopes.some((own) => own === one))) fields.set("scope", [...asked, ...scopes].join(" "))
  return fields.toString()
}

/** The fields of a request for tokens. */
export const tokenFields = (body: string) => withCanonicalResources(new URLSearchParams(body)).toString()

/**
 * Whether a cookie is the library's session, which browsers never keep: who signed in for one authorization is nobody in the
 * next.
 */
export const isOfSession = (cookie: string) => /^mcp_session(\.sig)?=/.test(cookie)

const Metadata = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** Redirects of one client, and characters of its name. */
const mostRedirects = 10
const longestName = 200

/** Why a registration is not taken. */
export class RegistrationRefused extends Schema.TaggedError<RegistrationRefused>()("RegistrationRefused", {
  message: Schema.String
}) {}

/** The body of a registration, as the library is to see it. */
export const registration = (body: string) =>
  Effect.gen(function* () {
    const metadata = yield* Effect.mapError(
      Schema.decode(Metadata)(body),
      () => new RegistrationRefused({ message: "the body must be a JSON object" })
    )
    const { client_name, redirect_uris } = metadata
    if (Array.isArray(redirect_uris) && redirect_uris.length > mostRedirects) {
      return yield* new RegistrationRefused({
        message: `redirect_uris must not have more than ${mostRedirects} addresses`
      })
    }
    if (typeof client_name === "string" && client_name.length > longestName) {
      return yield* new RegistrationRefused({
        message: `client_name must not have more than ${longestName} characters`
      })
    }
    return yield* Effect.orDie(
      Schema.encode(Metadata)({ ...settled(metadata), client_name: client_name ?? "A program without a name" })
    )
  })

/** Metadata of the server, which names scopes that the library does not know of before it knows the workspace. */
export const withScopes = (answered: Answered) =>
  Schema.decode(Metadata)(answered.body).pipe(
    Effect.flatMap((metadata) =>
      Schema.encode(Metadata)({ ...metadata, scopes_supported: [...scopes, "offline_access"] })
    ),
    Effect.map((body) => ({ ...answered, body })),
    Effect.orElseSucceed(() => answered)
  )

const Failure = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ error: Schema.String, error_description: Schema.optional(Schema.String) }))
)

/** The error that an answer states, for people. */
export const failureIn = ({ body }: Answered) =>
  Option.match(Failure(body), {
    onNone: () => "The request cannot be read.",
    onSome: ({ error, error_description }) => error_description ?? error
  })
