import { Effect } from "effect"
import { Pipeline } from "../../canonical/crm/Pipeline.ts"
import { variantsOf } from "../../mapping/Entries.ts"
import type { Mapping } from "../../mapping/Mapping.ts"
import { boolean, dateTime, integer, negated, number, text } from "../../mapping/Transform.ts"
import { whole } from "../base/Paginator.ts"
import { rest } from "../base/Rest.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { envelope, recordsOf } from "./Answers.ts"
import { isDefault, ordered, statusOfStage } from "./Stages.ts"

// Deal pipelines with their stages inline, all in one answer.
// https://developers.hubspot.com/docs/guides/api/crm/pipelines

const mapping: Mapping = {
  blank: null,
  root: "",
  dialect: { raw: text, text, number, integer, boolean, dateTime },
  ...variantsOf(Pipeline, (of) => [
    of.variant({
      nativeType: "pipelines",
      entries: [
        of.readField("remote_id", "id", text),
        of.readField("remote_created_at", "createdAt", dateTime),
        of.readField("remote_updated_at", "updatedAt", dateTime),
        of.readField("remote_was_deleted", "archived", boolean),
        of.readField("name", "label", text),
        of.computed({ canonical: "is_default", native: ["id"], decode: ({ record }) => isDefault(record) }),
        of.readField("is_active", "archived", negated),
        of.readField("display_order", "displayOrder", integer),
        of.lines("stages", {
          native: "stages",
          id: "id",
          forms: (of) => [
            {
              where: {},
              entries: [
                of.readField("name", "label", text),
                of.readField("display_order", "displayOrder", integer),
                of.readField("probability", "metadata.probability", number),
                of.computed({
                  canonical: "status",
                  native: ["metadata"],
                  decode: ({ record }) => statusOfStage(record)
                }),
                of.readField("remote_was_deleted", "archived", boolean)
              ]
            }
          ]
        })
      ],
      notHeld: {}
    })
  ])
}

/** All pipelines of a type of objects, which are written by them too. */
export const loadPipelines = (call: Caller, connection: ConnectionRef, type: "deals" | "leads") => {
  const request: Call = { operation: "pipelines.list", method: "GET", path: `/crm/v3/pipelines/${type}` }
  return call(connection, request).pipe(
    Effect.flatMap((answer) => recordsOf(request, answer)),
    Effect.map((found) => found.map((record) => ({ nativeType: "pipelines", record: ordered(record) })))
  )
}

export const pipeline = (call: Caller): ResourceAdapter => {
  const plain = rest(call, {
    envelope,
    mapping,
    verbs: ["get"],
    path: () => "/crm/v3/pipelines/deals"
  })
  return {
    ...plain,
    list: ({ connection, limit, position }) =>
      whole(({ record }) => String(record.id), loadPipelines(call, connection, "deals"))(position, limit),
    getMany: ({ connection, ids }) =>
      Effect.map(loadPipelines(call, connection, "deals"), (all) =>
        all.filter(({ record }) => ids.includes(String(record.id)))
      ),
    get: (target) => Effect.map(plain.get(target), (found) => ({ ...found, record: ordered(found.record) }))
  }
}
