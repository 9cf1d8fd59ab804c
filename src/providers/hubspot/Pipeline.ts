import { Effect } from "effect"
import { computed, lines, type Mapping, readField } from "../../mapping/Mapping.ts"
import { boolean, dateTime, integer, negated, number, text } from "../../mapping/Transform.ts"
import { whole } from "../axes/Paginator.ts"
import { rest } from "../axes/Rest.ts"
import type { Call, Caller } from "../axes/Upstream.ts"
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
  variants: [
    {
      nativeType: "pipelines",
      entries: [
        readField("remote_id", "id", text),
        readField("remote_created_at", "createdAt", dateTime),
        readField("remote_updated_at", "updatedAt", dateTime),
        readField("remote_was_deleted", "archived", boolean),
        readField("name", "label", text),
        computed({ canonical: "is_default", native: ["id"], decode: ({ record }) => isDefault(record) }),
        readField("is_active", "archived", negated),
        readField("display_order", "displayOrder", integer),
        lines({
          canonical: "stages",
          native: "stages",
          id: "id",
          forms: [
            {
              where: {},
              entries: [
                readField("name", "label", text),
                readField("display_order", "displayOrder", integer),
                readField("probability", "metadata.probability", number),
                computed({ canonical: "status", native: ["metadata"], decode: ({ record }) => statusOfStage(record) }),
                readField("remote_was_deleted", "archived", boolean)
              ]
            }
          ]
        })
      ]
    }
  ]
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
    get: (target) => Effect.map(plain.get(target), (found) => ({ ...found, record: ordered(found.record) }))
  }
}
