import { FiberRef } from "effect"

/**
 * A request's identity and what is found out about it while it is answered, for whoever logs it afterwards: who sent it and
 * which providers and toolkits were called for it. The fibers that answer it write into the same notes.
 */
export interface RequestNotes {
  /** What its answer carries as `X-Request-Id`, and every log line. */
  readonly id: string
  /** Milliseconds since 1970 at which it came in. */
  readonly startedAt: number
  caller:
    { readonly organisation: string; readonly environment: "sandbox" | "production"; readonly key: string } | undefined
  /** Scope that its operation needs, or `any`; undefined where none is declared. */
  needs: string | undefined
  /** The organisation's own id of the end user whom it names, if it names one. */
  endUser: string | undefined
  /** Name and version that the client gives of itself, if it does. */
  client: string | undefined
  /** Slugs. */
  readonly providers: Set<string>
}

/** The notes of the request being answered. */
export const requestNotes: FiberRef.FiberRef<RequestNotes | undefined> = FiberRef.unsafeMake<RequestNotes | undefined>(
  undefined
)
