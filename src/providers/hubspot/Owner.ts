import { Effect } from "effect"
import { Owner } from "../../canonical/crm/Owner.ts"
import { variantsOf } from "../../mapping/Entries.ts"
import type { Mapping } from "../../mapping/Mapping.ts"
import { boolean, dateTime, negated, text } from "../../mapping/Transform.ts"
import { cursor } from "../axes/Paginator.ts"
import type { Call, Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { readPage, readRecord } from "./Answers.ts"

// Users who can own records; `hubspot_owner_id` of a record holds `id`, not `userId`.
// https://developers.hubspot.com/docs/guides/api/crm/owners

const mapping: Mapping = {
  blank: null,
  root: "",
  dialect: { raw: text, text, boolean, dateTime },
  ...variantsOf(Owner, (of) => [
    {
      nativeType: "owners",
      entries: [
        of.readField("remote_id", "id", text),
        of.readField("remote_created_at", "createdAt", dateTime),
        of.readField("remote_updated_at", "updatedAt", dateTime),
        of.readField("remote_was_deleted", "archived", boolean),
        of.computed({
          canonical: "name",
          native: ["firstName", "lastName"],
          decode: ({ record }) => [record.firstName, record.lastName].filter(Boolean).join(" ") || null
        }),
        of.readField("first_name", "firstName", text),
        of.readField("last_name", "lastName", text),
        of.readField("email", "email", text),
        of.readField("is_active", "archived", negated)
      ]
    }
  ])
}

export const owner = (call: Caller): ResourceAdapter => ({
  mapping,
  consistency: "exact",
  list: ({ connection, limit, position }) =>
    cursor(100, (after, size) => {
      const request: Call = {
        operation: "owners.list",
        method: "GET",
        path: "/crm/v3/owners",
        query: { limit: size, after, archived: false }
      }
      return Effect.flatMap(call(connection, request), (answer) => readPage(request, "owners", answer))
    })(position, limit),
  get: ({ connection, id }) => {
    const request: Call = { operation: "owners.get", method: "GET", path: "/crm/v3/owners/:id", params: { id } }
    return Effect.flatMap(call(connection, request), (answer) => readRecord(request, "owners", answer))
  }
})
