import { Array, Cause, Exit, Option, Predicate, Tracer } from "effect"
import type { Sampler } from "./OtelVariables.ts"
import { queryOf } from "./QueryNames.ts"

/** Spans as they go to a collector. */

const nothing: ReadonlyMap<string, unknown> = new Map()
const ignore = () => {}

type SpanOf = Parameters<Tracer.Tracer["span"]>

/** A span that is not kept: it holds nothing but its ids. */
const unkept = (
  ids: { readonly traceId: string; readonly spanId: string },
  ...[name, parent, context, _links, startTime, kind]: SpanOf
): Tracer.Span => ({
  _tag: "Span",
  name,
  parent,
  context,
  kind,
  sampled: false,
  ...ids,
  status: { _tag: "Started", startTime },
  attributes: nothing,
  links: [],
  attribute: ignore,
  event: ignore,
  addLinks: ignore,
  end: ignore
})

/** Whether a trace belongs to the part that is kept: by its last 7 bytes, so that all services choose alike. */
const isAmong = (traceId: string, ratio: number) =>
  ratio >= 1 || Number.parseInt(traceId.slice(18), 16) < ratio * 0x1_00_00_00_00_00_00_00

const keeps = (parent: Option.Option<Tracer.AnySpan>, traceId: string, { isParentBased, ratio }: Sampler) => {
  if (Option.isNone(parent)) return isAmong(traceId, ratio)
  // what began here was decided then
  return parent.value._tag === "Span" || isParentBased ? parent.value.sampled : isAmong(traceId, ratio)
}

/**
 * The spans of a collector, as OpenTelemetry's conventions have them, and without secrets: the platform's HTTP spans hold the
 * whole URL and every header, of which queries carry tokens (`/connect`), OAuth codes and searches for people, and headers keys
 * under any name; so what a span may hold is listed here rather than what it may not.
 */
export const conventional = (tracer: Tracer.Tracer, sampler: Sampler): Tracer.Tracer =>
  Tracer.make({
    context: (run, fiber) => tracer.context(run, fiber),
    span: (...of) => {
      const span = tracer.span(...of)
      const parent = of[1]
      if (!keeps(parent, span.traceId, sampler)) return unkept({ traceId: span.traceId, spanId: span.spanId }, ...of)
      const set = span.attribute.bind(span)
      span.attribute = (key, value) => {
        if (span.name === "sql.execute") return queried(span, set, key, value)
        const header = /^http\.(?:request|response)\.header\.(.+)$/.exec(key)?.[1]
        if (header !== undefined ? harmlessHeaders.test(header) : key !== "client.address") {
          set(key, harmless(key, value))
        }
      }
      const end = span.end.bind(span)
      span.end = (time, exit) => {
        const fault = faultOf(span, exit)
        if (fault === undefined) return end(time, Exit.void)
        if (!span.attributes.has("error.type")) set("error.type", fault)
        end(time, inShort(fault))
      }
      return span
    }
  })

/** A span of a statement: its driver calls all of them alike, and tells the text. */
const queried = (span: Tracer.Span, set: (key: string, value: unknown) => void, key: string, value: unknown) => {
  if (key === "db.operation.name") return
  set(key, value)
  if (key !== "db.query.text" || typeof value !== "string") return
  const { operation, summary, table } = queryOf(value)
  Object.assign(span, { name: summary })
  set("db.operation.name", operation)
  set("db.query.summary", summary)
  if (table !== undefined) set("db.collection.name", table)
}

const inShort = (fault: string) => {
  const plain = new Error(fault)
  plain.name = fault
  plain.stack = fault
  return Exit.fail(plain)
}

/**
 * A failure by its name, since what it says in words may quote what a caller or a provider sent; undefined where nothing is
 * wrong here. A client who went away is no fault, nor is a request that we refuse; of a call to others, whatever fails is.
 */
const faultOf = (span: Tracer.Span, exit: Exit.Exit<unknown, unknown>): string | undefined => {
  const status = span.attributes.get("http.response.status_code")
  if (span.kind === "server") {
    if (typeof status !== "number" || status < 500) return undefined
    return String(span.attributes.get("error.type") ?? status)
  }
  if (span.kind === "client" && typeof status === "number" && status >= 400) return String(status)
  if (Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause)) return undefined
  const error = Cause.squash(exit.cause)
  return span.kind === "client" || isFault(error) ? nameOf(error) : undefined
}

/** Reasons for which a provider, and nobody who asked it, is to blame. */
const faults = new Set(["Down", "TimedOut", "Malformed", "ListBroken", "Unreadable"])

const isFault = (error: unknown): boolean => {
  if (Predicate.hasProperty(error, "status") && typeof error.status === "number" && error instanceof Error) {
    return error.status >= 500
  }
  if (Predicate.hasProperty(error, "reason") && Predicate.hasProperty(error.reason, "_tag")) {
    return faults.has(String(error.reason._tag))
  }
  return true
}

const nameOf = (error: unknown): string => {
  if (Predicate.hasProperty(error, "reason") && Predicate.hasProperty(error.reason, "_tag"))
    return String(error.reason._tag)
  if (Predicate.hasProperty(error, "code") && typeof error.code === "string") return error.code
  if (Predicate.hasProperty(error, "_tag")) return String(error._tag)
  return error instanceof Error ? error.name : "failure"
}

const harmlessHeaders = /^(accept|content-(encoding|length|type)|retry-after|x-request-id|.*rate-?limit.*)$/

const harmlessParameters = new Set([
  "created_after",
  "created_before",
  "include_remote_data",
  "limit",
  "offset",
  "page",
  "provider",
  "resource"
])

const harmless = (key: string, value: unknown): unknown => {
  if (typeof value !== "string") return value
  if (key === "url.query") return harmlessQuery(new URLSearchParams(value))
  if (key !== "url.full") return value
  if (!URL.canParse(value)) return "REDACTED"
  const url = new URL(value)
  const query = harmlessQuery(url.searchParams)
  return `${url.origin}${url.pathname}${query === "" ? "" : `?${query}`}`
}

const harmlessQuery = (query: URLSearchParams) =>
  Array.fromIterable(query)
    .map(([name, value]) => encodeURIComponent(name) + "=" + (harmlessParameters.has(name) ? value : "REDACTED"))
    .join("&")
