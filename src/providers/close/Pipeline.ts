import { Effect } from "effect"
import { Pipeline } from "../../canonical/crm/Pipeline.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import type { DealStatus, Pipeline as DealPipeline, Placing } from "../../mapping/Stages.ts"
import { boolean, enumeration, integer, text } from "../../mapping/Transform.ts"
import { whole } from "../base/Paginator.ts"
import { reader } from "../base/Rest.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing, type ProviderError } from "../ProviderError.ts"
import { stamps } from "./Common.ts"
import { envelope } from "./Objects.ts"

export const statuses: { readonly [type: string]: DealStatus } = { active: "OPEN", won: "WON", lost: "LOST" }

const mapping = plainMapping(Pipeline, (of) => [
  of.variant({
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
              of.readField("status", "type", enumeration("status", statuses)),
              of.constant("remote_was_deleted", false)
            ]
          }
        ]
      })
    ],
    notHeld: {}
  })
])

const { failure, records } = reader(envelope)

const indexed = (all: ReadonlyArray<Native>) => all.map((one, index): Native => ({ ...one, index }))

/** The status of an opportunity says its pipeline. Without one Close takes the first of the first pipeline. */
export const placing: Placing<DealPipeline> = {
  native: { pipeline: ["pipeline_id"], stage: ["status_id"], status: ["status_type"] },
  lookup: "pipelines",
  pipelines: (loaded) =>
    natives(loaded).map((one, index) => ({
      id: String(one.id),
      name: String(one.name),
      isDefault: index === 0,
      stages: natives(one.statuses).map(({ id, label, type }) => ({
        id: String(id),
        name: String(label),
        status: statuses[String(type)] ?? "OPEN"
      }))
    })),
  standing: ({ pipeline_id, status_id, status_type }) => ({
    pipeline: pipeline_id ?? null,
    stage: status_id ?? null,
    status: statuses[String(status_type)] ?? null
  }),
  write: ({ set }, _, { id }) => set("status_id", id)
}

/** All pipelines, in their order: opportunities are made in the first one. https://developer.close.com/api/resources/pipelines */
export const loadPipelines = (
  call: Caller,
  connection: ConnectionRef
): Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError> => {
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
    list: ({ connection, limit, position }) => whole(idOf, loadPipelines(call, connection))(position, limit),
    get: ({ connection, id }) =>
      Effect.flatMap(loadPipelines(call, connection), (all) => {
        const found = all.find((one) => idOf(one) === id)
        return found === undefined ? failure("pipeline.get", new Missing()) : Effect.succeed(found)
      })
  }) satisfies ResourceAdapter
