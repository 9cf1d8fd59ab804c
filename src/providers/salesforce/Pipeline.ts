import { Effect } from "effect"
import { computed, constant, lines, readField } from "../../mapping/Mapping.ts"
import { integer, negated, percent, text } from "../../mapping/Transform.ts"
import { whole } from "../axes/Paginator.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing } from "../ProviderError.ts"
import { mappingOf } from "./Common.ts"
import { failure, type Org } from "./Org.ts"
import { pipelineId, stages, statusOf } from "./Stages.ts"

/** One record made of all stages; see `Stages.ts`. */
const type = "OpportunityStage"

const mapping = mappingOf(type, [
  readField("remote_id", "Id", text),
  constant("remote_created_at", null),
  constant("remote_updated_at", null),
  constant("remote_was_deleted", false),
  constant("name", "Sales"),
  constant("is_default", true),
  constant("is_active", true),
  constant("display_order", 0),
  lines({
    canonical: "stages",
    native: "stages",
    // what StageName of an opportunity holds
    id: "ApiName",
    forms: [
      {
        where: {},
        entries: [
          readField("name", "MasterLabel", text),
          readField("display_order", "index", integer),
          readField("probability", "DefaultProbability", percent),
          computed({
            canonical: "status",
            native: ["IsWon", "IsClosed"],
            decode: ({ record }) => statusOf(record)
          }),
          readField("remote_was_deleted", "IsActive", negated)
        ]
      }
    ]
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
    get: ({ connection, id }) => (id === pipelineId ? read(connection) : failure("pipeline.get", new Missing()))
  }
}
