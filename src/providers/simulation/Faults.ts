import { Context, Effect, Layer, Schema } from "effect"

const maybe = <A>(schema: Schema.Schema<A>) => Schema.optionalWith(schema, { exact: true })

/** Misbehaviour on request. */
export const Misbehaviour = Schema.Union(
  /** Answers late. `after`: once the request took effect. */
  Schema.Struct({ kind: Schema.Literal("latency"), milliseconds: Schema.Number, after: maybe(Schema.Boolean) }),
  /** The provider's own "limit reached"; seconds. */
  Schema.Struct({ kind: Schema.Literal("limit"), retryAfter: Schema.Number }),
  /** The provider's own body for a status, such as 500 or 403. */
  Schema.Struct({ kind: Schema.Literal("status"), status: Schema.Int }),
  /** A proxy's page in place of the answer. */
  Schema.Struct({ kind: Schema.Literal("html"), status: Schema.Int }),
  /** The first half of the answer's body. */
  Schema.Struct({ kind: Schema.Literal("half") }),
  /** A success without a body. */
  Schema.Struct({ kind: Schema.Literal("empty") }),
  /** No answer: the connection closes. `after`: once the request took effect. */
  Schema.Struct({ kind: Schema.Literal("drop"), after: maybe(Schema.Boolean) }),
  /** Counts as so many calls towards the provider's limits: others of the account have sent the rest. */
  Schema.Struct({ kind: Schema.Literal("spend"), calls: Schema.Int }),
  /** The access token is worthless from now on. */
  Schema.Struct({ kind: Schema.Literal("expire") })
)
export type Misbehaviour = typeof Misbehaviour.Type

const which = {
  does: Misbehaviour,
  /** Only requests with this method, and with this text in their path. */
  method: maybe(Schema.String),
  path: maybe(Schema.String),
  /** Requests to let through first. */
  skip: maybe(Schema.Int),
  /** Requests it hits; 1 when absent. */
  times: maybe(Schema.Int)
}

/** A fault of the one provider that a port serves. */
export const PortFault = Schema.Struct(which).annotations({
  parseOptions: { errors: "all", onExcessProperty: "error" }
})

const Fault = Schema.Struct({ provider: Schema.String, ...which })
export type Fault = typeof Fault.Type

/** The faults waiting to happen. */
export class Faults extends Context.Tag("tributary/providers/simulation/Faults")<
  Faults,
  {
    readonly add: (fault: Fault) => Effect.Effect<void>
    readonly clear: Effect.Effect<void>
    /** Takes the faults that hit a request. */
    readonly take: (provider: string, method: string, path: string) => Effect.Effect<ReadonlyArray<Misbehaviour>>
  }
>() {
  static readonly layer = Layer.sync(Faults, () => {
    let waiting: ReadonlyArray<Fault & { readonly skip: number; readonly times: number }> = []
    const hits = (fault: Fault, provider: string, method: string, path: string) =>
      fault.provider === provider &&
      (fault.method === undefined || fault.method === method) &&
      (fault.path === undefined || path.includes(fault.path))
    return {
      add: (fault) =>
        Effect.sync(() => {
          waiting = [...waiting, { ...fault, skip: fault.skip ?? 0, times: fault.times ?? 1 }]
        }),
      clear: Effect.sync(() => {
        waiting = []
      }),
      take: (provider, method, path) =>
        Effect.sync(() => {
          const taken: Array<Misbehaviour> = []
          waiting = waiting.flatMap((fault) => {
            if (!hits(fault, provider, method, path)) return [fault]
            if (fault.skip > 0) return [{ ...fault, skip: fault.skip - 1 }]
            taken.push(fault.does)
            return fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : []
          })
          return taken
        })
    }
  })
}
