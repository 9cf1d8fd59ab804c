import { Cause, Exit, Option, Tracer } from "effect"
import { randomBytes } from "node:crypto"

/** A span as it ended, with all that it holds. */
export interface EndedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  /** The id of the span around it. */
  readonly parent: string | undefined
  readonly attributes: { readonly [name: string]: unknown }
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes: unknown }>
  /** Its failure in words, as a collector would get it; empty where it succeeded. */
  readonly failure: string
}

/** A tracer that tells each span when it ends. */
export const tellingSpans = (tell: (span: EndedSpan) => void) =>
  Tracer.make({
    context: (run) => run(),
    span: (name, parent, context, links, startTime, kind) => {
      const attributes = new Map<string, unknown>()
      const events: Array<EndedSpan["events"][number]> = []
      const spanId = randomBytes(8).toString("hex")
      const traceId = Option.match(parent, {
        onNone: () => randomBytes(16).toString("hex"),
        onSome: (span) => span.traceId
      })
      return {
        _tag: "Span",
        name,
        spanId,
        traceId,
        parent,
        context,
        status: { _tag: "Started", startTime },
        attributes,
        links,
        sampled: true,
        kind,
        attribute: (key, value) => void attributes.set(key, value),
        event: (event, _, about) => void events.push({ name: event, attributes: about }),
        addLinks: () => {},
        end: (_, exit) =>
          tell({
            name,
            traceId,
            spanId,
            parent: Option.getOrUndefined(Option.map(parent, (span) => span.spanId)),
            attributes: Object.fromEntries(attributes),
            events,
            failure: Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
          })
      }
    }
  })
