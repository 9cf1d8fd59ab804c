import { Owner } from "../../canonical/crm/Owner.ts"
import { variantsOf } from "../../mapping/Entries.ts"
import type { Mapping } from "../../mapping/Mapping.ts"
import { boolean, dateTime, negated, text } from "../../mapping/Transform.ts"
import { rest } from "../axes/Rest.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { envelope, paging } from "./Answers.ts"

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

export const owner = (call: Caller): ResourceAdapter =>
  rest(call, { envelope, mapping, verbs: ["list", "get"], path: (type) => `/crm/v3/${type}`, paging })
