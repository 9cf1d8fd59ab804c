import { type Clock, Effect, FiberRef } from "effect"

/** One attempt of a call to a provider, to its token endpoint, or to an end user's database. */
export interface UpstreamCall {
  /** Slug of the provider or toolkit. */
  readonly provider: string
  /** UUID of the connection. */
  readonly connection: string
  /** Name of the provider's operation, such as `contacts.list`; `token`: access was renewed. */
  readonly operation: string
  /** HTTP method; `SQL` for statements. */
  readonly method: string
  /** HTTP status; null: there was none. */
  readonly status: number | null
  readonly outcome: "answered" | "timeout" | "unreachable"
  /** Milliseconds from the start of the request to this call. */
  readonly after: number
  readonly milliseconds: number
}

/** A failure as the error envelope states it. */
export interface ToldFailure {
  readonly code: string
  readonly message: string
  /** Fields of the body that are wrong. */
  readonly errors?: { readonly [path: string]: string } | undefined
  /** Of a provider's failure: the provider's own words. */
  readonly provider?: { readonly slug: string; readonly message?: string | undefined } | undefined
}

/** Most calls of a request that are noted one by one; further ones are only counted. */
export const notedCalls = 50

/**
 * A request's identity and the facts that emerge while it is answered, such as its sender and its calls, for logging it
 * afterwards. All fibers that answer it write into the same notes.
 */
export interface RequestNotes {
  /** The id in its answer's `X-Request-Id` and in every log line. */
  readonly id: string
  /** Milliseconds since 1970 when it came in. */
  readonly startedAt: number
  caller:
    { readonly organisation: string; readonly environment: "sandbox" | "production"; readonly key: string } | undefined
  /** Scope that its operation needs, or `any`; undefined where none is declared. */
  needs: string | undefined
  /** The organisation's own id of the end user that it names, if any. */
  endUser: string | undefined
  /** The client's own name and version, if it gives them. */
  client: string | undefined
  /** Such as `crm/contact`. */
  readonly resource: string | undefined
  /** Operation on the resource: `list`, `get`, `create`, … */
  readonly operation: string | undefined
  /** The id of the record that it names, or the provider's id of the one that it created. */
  record: string | undefined
  readonly idempotencyKey: string | undefined
  /** The last failure that was reported for it; its words may quote the request, or the provider. */
  failure: ToldFailure | undefined
  /** Providers of a list that failed while others answered. */
  readonly missing: Array<{ readonly provider: string; readonly code: string }>
  /** Slugs of the providers and toolkits that it concerns, whether they were reached or not. */
  readonly providers: Set<string>
  /** UUIDs of the connections that it concerns. */
  readonly connections: Set<string>
  /** The first calls made for it, in the order in which they ended. */
  readonly calls: Array<UpstreamCall>
  /** Number of calls made. */
  callsMade: number
}

/** Facts of a request from its path, query and headers. */
export interface Asked {
  readonly resource?: string | undefined
  readonly operation?: string | undefined
  readonly record?: string | undefined
  /** Slug. */
  readonly provider?: string | undefined
  /** UUID. */
  readonly connection?: string | undefined
  readonly idempotencyKey?: string | undefined
}

/** Makes the notes of a request that has just come in. */
export const newNotes = (
  of: Pick<RequestNotes, "id" | "startedAt" | "needs" | "endUser"> & Partial<Pick<RequestNotes, "client">>,
  { connection, idempotencyKey, operation, provider, record, resource }: Asked = {}
): RequestNotes => ({
  client: undefined,
  ...of,
  caller: undefined,
  resource,
  operation,
  record,
  idempotencyKey,
  failure: undefined,
  missing: [],
  providers: new Set(provider === undefined ? [] : [provider]),
  connections: new Set(connection === undefined ? [] : [connection]),
  calls: [],
  callsMade: 0
})

/** Attributes of a request's spans and log lines, with its first ten connections at most. */
export const attributesOf = (notes: RequestNotes): { readonly [name: string]: string } => {
  const { caller, connections, endUser, operation, providers, record, resource } = notes
  const given = {
    "tributary.organisation.id": caller?.organisation,
    "tributary.environment": caller?.environment,
    "tributary.end_user.id": endUser,
    "tributary.provider": [...providers].join(","),
    "tributary.connection.id": [...connections].slice(0, 10).join(","),
    "tributary.resource": resource,
    "tributary.operation": operation,
    "tributary.record.id": record
  }
  const attributes: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) if (value !== undefined && value !== "") attributes[name] = value
  return attributes
}

/** The notes of the request being answered. */
export const requestNotes: FiberRef.FiberRef<RequestNotes | undefined> = FiberRef.unsafeMake<RequestNotes | undefined>(
  undefined
)

/** Notes something about the request being answered, if there is one. */
export const noting = (write: (notes: RequestNotes) => void): Effect.Effect<void> =>
  Effect.map(FiberRef.get(requestNotes), (notes) => {
    if (notes !== undefined) write(notes)
  })

/** Notes a call that has ended, for the request that made it. */
export const noteCall = (call: Omit<UpstreamCall, "after">, clock: Clock.Clock) => {
  const started = clock.unsafeCurrentTimeMillis() - call.milliseconds
  return noting((notes) => {
    notes.callsMade += 1
    notes.providers.add(call.provider)
    notes.connections.add(call.connection)
    if (notes.calls.length >= notedCalls) return
    notes.calls.push({ ...call, after: Math.max(0, Math.round(started - notes.startedAt)) })
  })
}

/** Notes a connection that the request being answered concerns. */
export const meaning = (connection: { readonly id: string; readonly provider: string }) =>
  noting(({ connections, providers }) => {
    connections.add(connection.id)
    providers.add(connection.provider)
  })
