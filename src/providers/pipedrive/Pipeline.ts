import { Effect } from "effect"
import { Pipeline } from "../../canonical/crm/Pipeline.ts"
import type { Native } from "../../mapping/Mapping.ts"
import { boolean, integer, negated, percent, text } from "../../mapping/Transform.ts"
import { whole } from "../base/Paginator.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing, type ProviderError } from "../ProviderError.ts"
import { deleted, mappingOf, stamps } from "./Common.ts"
import { all, failure } from "./Objects.ts"

/**
 * Pipelines with their stages, which are a list of their own. A deal is won or lost by its status, in any stage.
 * https://developers.pipedrive.com/docs/api/v1/Pipelines
 */
const mapping = mappingOf(Pipeline, "", (of) => [
  of.variant({
    nativeType: "pipelines",
    entries: [
      ...stamps(of),
      deleted(of),
      of.readField("name", "name", text),
      of.readField("is_default", "is_default", boolean),
      of.readField("is_active", "is_deleted", negated),
      of.readField("display_order", "order_nr", integer),
      of.lines("stages", {
        native: "stages",
        id: "id",
        forms: (of) => [
          {
            where: {},
            entries: [
              of.readField("name", "name", text),
              of.readField("display_order", "index", integer),
              of.readField("probability", "deal_probability", percent),
              of.constant("status", "OPEN"),
              deleted(of)
            ]
          }
        ]
      })
    ],
    notHeld: {}
  })
])

const byOrder = (a: Native, b: Native) => Number(a.order_nr) - Number(b.order_nr) || Number(a.id) - Number(b.id)

/** All pipelines, in their order: the first one is the default. */
const load = (call: Caller, connection: ConnectionRef): Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError> =>
  Effect.map(
    Effect.all([all(call, connection, "pipelines"), all(call, connection, "stages")], { concurrency: 2 }),
    ([pipelines, stages]) =>
      pipelines.toSorted(byOrder).map((pipeline, i) => ({
        nativeType: "pipelines",
        record: {
          ...pipeline,
          is_default: i === 0,
          stages: stages
            .filter(({ pipeline_id }) => pipeline_id === pipeline.id)
            .toSorted(byOrder)
            // numbers of an account begin and skip as they please
            .map((stage, index) => ({ ...stage, index }))
        }
      }))
  )

const idOf = ({ record }: NativeRecord) => String(record.id)

export const pipeline = (call: Caller): ResourceAdapter => ({
  mapping,
  consistency: "exact",
  list: ({ connection, limit, position }) => whole(idOf, load(call, connection))(position, limit),
  get: ({ connection, id }) =>
    Effect.flatMap(load(call, connection), (found): Effect.Effect<NativeRecord, ProviderError> => {
      const one = found.find((record) => idOf(record) === id)
      return one === undefined ? failure("pipelines.get", new Missing()) : Effect.succeed(one)
    })
})
