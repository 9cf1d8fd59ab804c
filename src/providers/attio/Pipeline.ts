import { Effect } from "effect"
import { Pipeline } from "../../canonical/crm/Pipeline.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import type { DealStatus, Pipeline as DealPipeline, Placing } from "../../mapping/Stages.ts"
import { boolean, integer, text } from "../../mapping/Transform.ts"
import { whole } from "../base/Paginator.ts"
import type { Query } from "../base/Paging.ts"
import { reader } from "../base/Rest.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing, type ProviderError } from "../ProviderError.ts"
import { endpoint } from "./Records.ts"

/** A workspace has one pipeline: the stages of its deals. */
export const pipelineId = "deals"

/** Attio does not say which stages win and lose; those that it begins with are called `Won 🎉` and `Lost`. */
export const statusOf = (title: unknown): DealStatus => {
  const [, word] = /^\W*(won|lost)\b/i.exec(String(title)) ?? []
  return word === undefined ? "OPEN" : word.toLowerCase() === "won" ? "WON" : "LOST"
}

const mapping = plainMapping(Pipeline, (of) => [
  of.variant({
    nativeType: "pipelines",
    entries: [
      of.readField("remote_id", "id", text),
      of.constant("remote_was_deleted", false),
      of.constant("name", "Deals"),
      of.constant("is_default", true),
      of.constant("is_active", true),
      of.constant("display_order", 0),
      of.lines("stages", {
        native: "stages",
        id: "remote_id",
        forms: (line) => [
          {
            where: {},
            entries: [
              line.readField("name", "title", text),
              line.readField("display_order", "index", integer),
              line.computed({ canonical: "status", native: ["title"], decode: ({ record }) => statusOf(record.title) }),
              line.readField("remote_was_deleted", "is_archived", boolean)
            ]
          }
        ]
      })
    ],
    notHeld: {
      remote_created_at: "Attio's pipeline is the list of deal stages, whose creation times Attio does not state.",
      remote_updated_at: "Attio does not state when a deal stage last changed."
    }
  })
])

const statuses = reader(endpoint("status_id").envelope)

export const stageId = statuses.idOf

/** A deal is in a stage of the one pipeline, which its native value has with it. */
export const placing: Placing<DealPipeline> = {
  native: { stage: ["values.stage"], status: ["values.stage"] },
  lookup: "stages",
  isRequired: true,
  pipelines: (loaded) => [
    {
      id: pipelineId,
      name: "Deals",
      isDefault: true,
      stages: natives(loaded)
        .filter(({ is_archived }) => is_archived !== true)
        .map((stage) => ({ id: stageId(stage), name: String(stage.title), status: statusOf(stage.title) }))
    }
  ],
  standing: (deal) => {
    const status = natives(getPath(deal, "values.stage"))[0]?.status
    return {
      pipeline: pipelineId,
      stage: getPath(status, "id.status_id") ?? null,
      status: statusOf(getPath(status, "title"))
    }
  },
  write: ({ set }, _, { id }) => set("values.stage", [{ status: id }])
}

// https://docs.attio.com/rest-api/endpoint-reference/attributes/list-statuses
export const loadStages = (call: Caller, connection: ConnectionRef, query: Query = {}) => {
  const request: Call = {
    operation: "pipelines.list",
    method: "GET",
    path: "/v2/objects/deals/attributes/stage/statuses",
    query
  }
  return Effect.flatMap(call(connection, request), (answer) => statuses.records(request, answer))
}

const load = (call: Caller, connection: ConnectionRef): Effect.Effect<NativeRecord, ProviderError> =>
  Effect.map(loadStages(call, connection), (stages) => ({
    nativeType: "pipelines",
    record: {
      id: pipelineId,
      stages: stages.map((stage, index): Native => ({ ...stage, index, remote_id: stageId(stage) }))
    }
  }))

export const pipeline = (call: Caller) =>
  ({
    mapping,
    consistency: "exact",
    list: ({ connection, limit, position }) =>
      whole(
        () => pipelineId,
        Effect.map(load(call, connection), (one) => [one])
      )(position, limit),
    get: ({ connection, id }) =>
      id === pipelineId ? load(call, connection) : statuses.failure("pipelines.get", new Missing())
  }) satisfies ResourceAdapter
