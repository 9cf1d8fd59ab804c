import { Effect } from "effect"
import { find } from "../canonical/Catalogue.ts"
import type { Event } from "../events/Event.ts"
import * as Deadline from "../platform/Deadline.ts"
import type { ApiError } from "../platform/Errors.ts"
import type { CanonicalRecord } from "../records/Presenter.ts"
import { Records } from "../records/Records.ts"
import type { Reader } from "../tenancy/CurrentCaller.ts"

/** Seconds that reading a record for a delivery may take. */
const patience = 10

type RecordEvent = Extract<Event, { readonly type: `record.${string}` }>

const isOfRecord = (event: Event): event is RecordEvent =>
  event.type === "record.created" || event.type === "record.updated"

/** Members that an event's data gets besides. */
interface Found {
  readonly record: CanonicalRecord | null
  /** Code of the error, where there is no record. */
  readonly record_error?: string
}

/** Gives the data of an event with its record, as a get by the organisation's mappings answers, or with why there is none. */
export const contents = Effect.map(Records, (records) => {
  const read = ({ data }: RecordEvent, caller: Reader, id: string): Effect.Effect<Found, ApiError> => {
    const resource = find(data.category, data.resource)
    return resource === undefined
      ? Effect.succeed({ record: null, record_error: "RESOURCE_UNKNOWN" })
      : records
          .get(
            { caller, endUser: data.endUserId, connection: data.connectionId },
            resource,
            { provider: data.provider, id },
            { fields: undefined, expand: undefined, includeRemoteData: false }
          )
          .pipe(Effect.map((record) => ({ record })))
  }

  return Effect.fnUntraced(function* (event: Event, caller: Reader) {
    if (!isOfRecord(event)) return event.data
    const { id, remote_id } = event.data
    const found = yield* read(event, caller, remote_id).pipe(
      Effect.catchIf(
        ({ code }) => code === "RECORD_AMBIGUOUS",
        () => read(event, caller, id)
      ),
      Effect.catchAll(({ code }) => Effect.succeed<Found>({ record: null, record_error: code })),
      Effect.locally(Deadline.current, yield* Deadline.after(patience))
    )
    return { ...event.data, ...found }
  })
})
