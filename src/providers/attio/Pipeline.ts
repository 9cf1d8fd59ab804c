import { Effect } from "effect"
import { Pipeline } from "../../canonical/crm/Pipeline.ts"
import type { Native } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { boolean, integer, text } from "../../mapping/Transform.ts"
import { whole } from "../axes/Paginator.ts"
import { reader } from "../axes/Rest.ts"
import type { Call, Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing, type ProviderError } from "../ProviderError.ts"
import { endpoint } from "./Records.ts"

/** A workspace has one pipeline: the stages of its deals. */
export const pipelineId = "deals"

/** Attio does not say which stages win and lose; those that it begins with are called `Won 🎉` and `Lost`. */
export const statusOf = (title: unknown): "OPEN" | "WON" | "LOST" => {
  const [, word] = /^\W*(won|lost)\b/i.exec(String(title)) ?? []
  return word === undefined ? "OPEN" : word.toLowerCase() === "won" ? "WON" : "LOST"
}

const mapping = plainMapping(Pipeline, (of) => [
  {
    nativeType: "pipelines",
    entries: [
      of.readField("remote_id", "id", text),
      of.constant("remote_created_at", null),
      of.constant("remote_updated_at", null),
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
    ]
  }
])

const { failure, idOf, records } = reader(endpoint("status_id").envelope)

// https://docs.attio.com/rest-api/endpoint-reference/attributes/list-statuses
const load = (call: Caller, connection: ConnectionRef): Effect.Effect<NativeRecord, ProviderError> => {
  const request: Call = {
    operation: "pipelines.list",
    method: "GET",
    path: "/v2/objects/deals/attributes/stage/statuses"
  }
  return Effect.flatMap(call(connection, request), (answer) =>
    Effect.map(records(request, answer), (stages) => ({
      nativeType: "pipelines",
      record: {
        id: pipelineId,
        stages: stages.map((stage, index): Native => ({ ...stage, index, remote_id: idOf(stage) }))
      }
    }))
  )
}

export const pipeline = (call: Caller) =>
  ({
    mapping,
    consistency: "exact",
    list: ({ connection, limit, position }) =>
      whole(
        () => pipelineId,
        Effect.map(load(call, connection), (one) => [one])
      )(position, limit),
    get: ({ connection, id }) => (id === pipelineId ? load(call, connection) : failure("pipelines.get", new Missing()))
  }) satisfies ResourceAdapter
