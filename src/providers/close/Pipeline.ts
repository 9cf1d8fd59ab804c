import { Effect } from "effect"
import { Pipeline } from "../../canonical/crm/Pipeline.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { boolean, enumeration, integer, text } from "../../mapping/Transform.ts"
import { whole } from "../axes/Paginator.ts"
import { reader } from "../axes/Rest.ts"
import type { Call, Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing, type ProviderError } from "../ProviderError.ts"
import { stamps } from "./Common.ts"
import { envelope } from "./Objects.ts"

const mapping = plainMapping(Pipeline, (of) => [
  {
    nativeType: "pipeline",
    entries: [
      ...stamps(of),
      of.readField("name", "name", text),
      of.readField("is_default", "is_default", boolean),
      of.constant("is_active", true),
      of.readField("display_order", "index", integer),
      of.lines("stages", {
        native: "statuses",
        id: "id",
        forms: (of) => [
          {
            where: {},
            entries: [
              of.readField("name", "label", text),
              of.readField("display_order", "index", integer),
              of.readField("status", "type", enumeration("status", { active: "OPEN", won: "WON", lost: "LOST" })),
              of.constant("remote_was_deleted", false)
            ]
          }
        ]
      })
    ]
  }
])

const { failure, records } = reader(envelope)

const indexed = (all: ReadonlyArray<Native>) => all.map((one, index): Native => ({ ...one, index }))

/** All pipelines, in their order: opportunities are made in the first one. https://developer.close.com/api/resources/pipelines */
const load = (call: Caller, connection: ConnectionRef): Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError> => {
  const request: Call = { operation: "pipeline.list", method: "GET", path: "/api/v1/pipeline/" }
  return Effect.flatMap(call(connection, request), (answer) =>
    Effect.map(records(request, answer), (found) =>
      indexed(found).map((one, index) => ({
        nativeType: "pipeline",
        record: { ...one, is_default: index === 0, statuses: indexed(natives(one.statuses)) }
      }))
    )
  )
}

const idOf = ({ record }: NativeRecord) => String(record.id)

export const pipeline = (call: Caller) =>
  ({
    mapping,
    consistency: "exact",
    list: ({ connection, limit, position }) => whole(idOf, load(call, connection))(position, limit),
    get: ({ connection, id }) =>
      Effect.flatMap(load(call, connection), (all) => {
        const found = all.find((one) => idOf(one) === id)
        return found === undefined ? failure("pipeline.get", new Missing()) : Effect.succeed(found)
      })
  }) satisfies ResourceAdapter
