import { Chunk, Option, Stream } from "effect"
import { ok } from "../platform/Envelope.ts"
import type { EndUser } from "../tenancy/EndUsers.ts"
import type { Person } from "../tenancy/PersonalData.ts"
import type { EndUserRecord } from "./Api.ts"
import type { Export } from "./Erasure.ts"

/** An end user as answers show them. */
export const recordOf = (
  { endUserId, environment }: Person,
  endUser: Option.Option<EndUser>
): typeof EndUserRecord.Type => ({
  endUserId,
  displayName: Option.getOrNull(Option.flatMapNullable(endUser, ({ displayName }) => displayName)),
  email: Option.getOrNull(Option.flatMapNullable(endUser, ({ email }) => email)),
  environment,
  createdAt: Option.getOrNull(Option.map(endUser, ({ createdAt }) => createdAt))
})

/** An export as JSON, written entry by entry: as one text it could keep everybody else waiting. */
export const written = (person: Person, { endUser, kinds }: Export) => {
  const { data, ...envelope } = ok("what is stored of the end user", recordOf(person, endUser))
  const open = (object: object) => JSON.stringify(object).slice(0, -1)
  const parts = Object.entries(kinds).map(([kind, entries], place) =>
    Stream.make(`${place === 0 ? "" : ","}${JSON.stringify(kind)}:[`).pipe(
      Stream.concat(
        Stream.map(
          Stream.zipWithIndex(Stream.fromIterable(entries)),
          ([entry, at]) => `${at === 0 ? "" : ","}${JSON.stringify(entry)}`
        )
      ),
      Stream.concat(Stream.make("]"))
    )
  )
  return Stream.make(`${open(envelope)},"data":${open(data)},"stored":{`).pipe(
    Stream.concat(Stream.concatAll(Chunk.fromIterable(parts))),
    Stream.concat(Stream.make("}}}")),
    Stream.encodeText
  )
}
