import { Effect } from "effect"
import { Pipeline } from "../../canonical/crm/Pipeline.ts"
import { integer, negated, percent, text } from "../../mapping/Transform.ts"
import { whole } from "../base/Paginator.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing } from "../ProviderError.ts"
import { mappingOf } from "./Common.ts"
import { failure, type Org } from "./Org.ts"
import { pipelineId, stages, statusOf } from "./Stages.ts"

/** One record made of all stages; see `Stages.ts`. */
const type = "OpportunityStage"

const noPipelineRecord = "Salesforce has no record of a pipeline, only of its stages."

const mapping = mappingOf(Pipeline, (of) => [
  of.variant({
    nativeType: type,
    entries: [
      of.readField("remote_id", "Id", text),
      of.constant("remote_was_deleted", false),
      of.constant("name", "Sales"),
      of.constant("is_default", true),
      of.constant("is_active", true),
      of.constant("display_order", 0),
      of.lines("stages", {
        native: "stages",
        // an opportunity's StageName holds it
        id: "ApiName",
        forms: (of) => [
          {
            where: {},
            entries: [
              of.readField("name", "MasterLabel", text),
              of.readField("display_order", "index", integer),
              of.readField("probability", "DefaultProbability", percent),
              of.computed({
                canonical: "status",
                native: ["IsWon", "IsClosed"],
                decode: ({ record }) => statusOf(record)
              }),
              of.readField("remote_was_deleted", "IsActive", negated)
            ]
          }
        ]
      })
    ],
    notHeld: {
      remote_created_at: noPipelineRecord,
      remote_updated_at: noPipelineRecord
    }
  })
])

export const pipeline = (org: Org): ResourceAdapter => {
  const { load } = stages(org)
  const read = (connection: ConnectionRef) =>
    Effect.map(load(connection), (all): NativeRecord => ({ nativeType: type, record: { Id: pipelineId, stages: all } }))
  const all = (connection: ConnectionRef) => Effect.map(read(connection), (one) => [one])
  return {
    mapping,
    consistency: "exact",
    list: ({ connection, limit, position }) => whole(() => pipelineId, all(connection))(position, limit),
    getMany: ({ connection, ids }) => (ids.includes(pipelineId) ? all(connection) : Effect.succeed([])),
    get: ({ connection, id }) => (id === pipelineId ? read(connection) : failure("pipeline.get", new Missing()))
  }
}
