import { Owner } from "../../canonical/crm/Owner.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { stamps } from "./Common.ts"
import { closeMapping, objects } from "./Objects.ts"

const mapping = closeMapping(Owner, (of) => [
  of.variant({
    nativeType: "user",
    entries: [
      ...stamps(of),
      of.computed({
        canonical: "name",
        native: ["first_name", "last_name"],
        decode: ({ record }) => [record.first_name, record.last_name].filter(Boolean).join(" ") || null
      }),
      of.readField("first_name", "first_name", text),
      of.readField("last_name", "last_name", text),
      of.readField("email", "email", text)
    ],
    notHeld: {
      is_active: "Close does not return whether a user is active."
    }
  })
])

/** https://developer.close.com/api/resources/users */
export const owner = (call: Caller) => objects(call, mapping, { verbs: ["list", "get"], fields: () => ({}) })
