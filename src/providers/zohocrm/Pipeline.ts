import { Effect } from "effect"
import { Pipeline } from "../../canonical/crm/Pipeline.ts"
import { integer, text } from "../../mapping/Transform.ts"
import { whole } from "../base/Paginator.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing } from "../ProviderError.ts"
import { mappingOf } from "./Common.ts"
import { idOf } from "./IdPages.ts"
import { failure } from "./Rows.ts"
import { loadPipelines, statusOfStage } from "./Stages.ts"

const nativeType = "pipeline"

// https://www.zoho.com/crm/developer/docs/api/v8/get-pipelines.html
const mapping = mappingOf(Pipeline, (of) => [
  of.variant({
    nativeType,
    entries: [
      of.readField("remote_id", "id", text),
      of.constant("remote_was_deleted", false),
      of.readField("name", "display_value", text),
      of.computed({ canonical: "is_default", native: ["default"], decode: ({ record }) => record.default === true }),
      of.constant("is_active", true),
      of.readField("display_order", "index", integer),
      of.lines("stages", {
        native: "maps",
        // a deal's Stage goes by it
        id: "actual_value",
        forms: (of) => [
          {
            where: {},
            entries: [
              of.readField("name", "display_value", text),
              of.readField("display_order", "index", integer),
              of.computed({
                canonical: "status",
                native: ["forecast_type"],
                decode: ({ record }) => statusOfStage(record)
              }),
              of.constant("remote_was_deleted", false)
            ]
          }
        ]
      })
    ],
    notHeld: {
      remote_created_at: "Zoho states no creation time of pipelines.",
      remote_updated_at: "Zoho states no change time of pipelines."
    }
  })
])

export const pipeline = (call: Caller): ResourceAdapter => {
  const all = (connection: ConnectionRef) =>
    Effect.map(loadPipelines(call, connection), (found) =>
      found.map((record): NativeRecord => ({ nativeType, record }))
    )
  return {
    mapping,
    consistency: "exact",
    list: ({ connection, limit, position }) => whole(idOf, all(connection))(position, limit),
    getMany: ({ connection, ids }) =>
      Effect.map(all(connection), (found) => found.filter((one) => ids.includes(idOf(one)))),
    // by id, Zoho wants the layout as well
    get: ({ connection, id }) =>
      Effect.flatMap(all(connection), (found) => {
        const one = found.find(({ record }) => record.id === id)
        return one === undefined ? failure("pipeline.get", new Missing()) : Effect.succeed(one)
      })
  }
}
