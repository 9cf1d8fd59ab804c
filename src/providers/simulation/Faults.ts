import { Context, Effect, Layer } from "effect"

/** Misbehaviour on request. */
export type Misbehaviour =
  /** Answers late. */
  | { readonly kind: "latency"; readonly milliseconds: number }
  /** The provider's own "limit reached". */
  | { readonly kind: "limit"; readonly retryAfter: number }
  /** The provider's own body for a status, such as 500 or 403. */
  | { readonly kind: "status"; readonly status: number }
  /** A proxy's page in place of the answer. */
  | { readonly kind: "html"; readonly status: number }
  /** The first half of the answer's body. */
  | { readonly kind: "half" }
  /** A success without a body. */
  | { readonly kind: "empty" }
  /** No answer: the connection closes. `after`: once the request took effect. */
  | { readonly kind: "drop"; readonly after?: boolean }
  /** The access token is worthless from now on. */
  | { readonly kind: "expire" }

export interface Fault {
  readonly provider: string
  readonly does: Misbehaviour
  /** Only requests with this method, and with this text in their path. */
  readonly method?: string
  readonly path?: string
  /** Requests to let through first. */
  readonly skip?: number
  /** Requests it hits; 1 when absent. */
  readonly times?: number
}

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
