import type { Entries } from "../../mapping/Entries.ts"
import { type ComputedEntry, type Encoding, getPath } from "../../mapping/Mapping.ts"
import { dateTime } from "../../mapping/Transform.ts"

const isFilled = (value: unknown) => typeof value === "string" && value !== ""

/** A start and an end: HubSpot holds both, in any order. The start may be in several properties. */
export const span = (
  of: Entries<"end_time" | "start_time">,
  starts: readonly [string, ...ReadonlyArray<string>],
  end: string
): ReadonlyArray<ComputedEntry<"end_time" | "start_time">> => {
  const entry = (
    canonical: "end_time" | "start_time",
    native: ReadonlyArray<string>,
    encode: ComputedEntry["encode"]
  ) =>
    of.computed({
      canonical,
      native,
      needsCurrent: true,
      decode: ({ record }, context) =>
        dateTime.decode(native.map((path) => getPath(record, path)).find(isFilled) ?? "", context),
      ...(encode === undefined ? {} : { encode })
    })
  const refuseBackwards = (canonical: string, { get, prefix, refuse }: Encoding) => {
    if (Date.parse(String(get(end))) < Date.parse(String(starts.map(get).find(isFilled)))) {
      refuse(prefix + canonical, "end_time must not be before start_time")
    }
  }
  return [
    entry("end_time", [end], (value, encoding) => {
      encoding.set(end, value ?? "")
      // a start that is given too is set after it
      if (encoding.body.start_time === undefined) refuseBackwards("end_time", encoding)
    }),
    entry("start_time", starts, (value, encoding) => {
      for (const start of starts) encoding.set(start, value ?? "")
      refuseBackwards(encoding.body.end_time === undefined ? "start_time" : "end_time", encoding)
    })
  ]
}
