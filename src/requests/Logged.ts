import type { HttpServerResponse } from "@effect/platform"
import { Either } from "effect"
import type { RequestNotes, ToldFailure } from "../platform/RequestNotes.ts"
import { decoded } from "./Described.ts"
import type { LoggedRequest } from "./LoggedRequest.ts"

/** The route of requests for which there is none. */
export const unmatched = "unmatched"

const mostFields = 10
const longest = 300

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Parts of an address that a caller chose: values of the query, names that no parameter has, and the path where nothing is at it. */
const sentIn = (url: string, isNowhere: boolean): ReadonlyArray<string> => {
  const [path = "", query = ""] = url.split("?", 2)
  const parameters = [...new URLSearchParams(query)]
  return [
    ...(isNowhere ? [decoded(path) ?? path, ...path.split("/").slice(4)] : []),
    ...parameters.map(([, value]) => value),
    ...parameters.flatMap(([name]) => (/^[a-z]+(_[a-z]+)*$/.test(name) ? [] : [name]))
  ].filter((text) => text.length > 1)
}

/**
 * A failure in words that may be kept: without what was sent, which the service's own words may quote, and without a provider's,
 * which may quote a record.
 */
const plainly = (
  { errors, message, provider }: ToldFailure,
  {
    isNowhere,
    known,
    url
  }: {
    readonly url: string
    readonly isNowhere: boolean
    /** Words that may stand although they were sent: slugs of providers. */
    readonly known: ReadonlySet<string>
  }
): string => {
  const fields = Object.keys(errors ?? {}).filter((path) => /^[\w.[\]-]{1,80}$/.test(path))
  const named = fields.length === 0 ? "" : `: ${fields.slice(0, mostFields).join(", ")}`
  const more = fields.length > mostFields ? ` and ${fields.length - mostFields} more` : ""
  if (errors !== undefined) return `${message.replace(/\.$/, "")}${named}${more}.`
  // behind these come the provider's words
  const own = provider === undefined ? message : (message.split(/[;:] /, 1)[0] ?? message)
  const words = provider?.message ?? ""
  const plain = [...sentIn(url, isNowhere), words]
    .filter((text) => text !== "" && !known.has(text))
    .reduce((text, sent) => text.replaceAll(new RegExp(`(?<!\\w)${escaped(sent)}(?!\\w)`, "g"), "…"), own)
    .replaceAll(/\S+@\S+/g, "…")
  if (provider !== undefined && plain === "…") return `${provider.slug} refused it, in words of its own.`
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain
}

/** The failure that the first answer under an idempotency key told. */
const repeated = (body: Uint8Array): ToldFailure | undefined => {
  const said = Either.getOrUndefined(Either.try((): unknown => JSON.parse(Buffer.from(body).toString())))
  if (typeof said !== "object" || said === null || !("code" in said) || !("message" in said)) return undefined
  if (typeof said.code !== "string" || typeof said.message !== "string") return undefined
  // it is not told apart here from a provider's words
  return { code: said.code, message: "The stored answer to an earlier request with this Idempotency-Key." }
}

/** The failure that an answer tells, if it tells one. */
const failureOf = (
  { failure }: RequestNotes,
  answer: { readonly status: number; readonly replayed: Uint8Array | undefined }
): ToldFailure | undefined =>
  answer.status < 400 ? undefined : answer.replayed === undefined ? failure : repeated(answer.replayed)

/** An answer that lacks what some providers have. */
const lacking = ({ missing }: RequestNotes, status: number) => {
  const [first] = missing
  if (first === undefined || status >= 400) return undefined
  const named = [...new Set(missing.map(({ code, provider }) => `${provider} (${code})`))]
  return { code: first.code, message: `Answered without ${named.join(", ")}.`.slice(0, longest) }
}

/** A request as it is kept, once it has its answer. */
export const logged = (
  notes: RequestNotes,
  answered: Pick<LoggedRequest, "method" | "route" | "status" | "milliseconds" | "key" | "traceId"> & {
    readonly url: string
  },
  { body, headers, status }: HttpServerResponse.HttpServerResponse
): LoggedRequest => {
  const { url, ...line } = answered
  const isReplayed = headers["idempotency-replayed"] !== undefined && body._tag === "Uint8Array"
  const failure = failureOf(notes, { status, replayed: isReplayed ? body.body : undefined })
  const about = { url, isNowhere: line.route === unmatched, known: notes.providers }
  const told = failure === undefined ? lacking(notes, status) : { code: failure.code, message: plainly(failure, about) }
  return {
    ...line,
    at: notes.startedAt,
    code: told?.code ?? null,
    message: told?.message ?? null,
    providers: [...notes.providers],
    connections: [...notes.connections],
    resource: notes.resource ?? null,
    record: notes.record ?? null,
    idempotencyKey: notes.idempotencyKey ?? null,
    requestId: notes.id,
    endUser: notes.endUser ?? null,
    calls: [...notes.calls],
    callsMade: notes.callsMade
  }
}
