import { computed, type Entries } from "../../mapping/Entries.ts"
import type { Bundle, Encoding } from "../../mapping/Mapping.ts"
import { oneLink } from "../../mapping/OneLink.ts"
import { refers } from "./Conditions.ts"
import { fits, isOf, type Kind, ofKind } from "./Kinds.ts"
import { isSame } from "./Soql.ts"

// Shared by tasks and events. `WhatId` is the subject of an activity, an account, an opportunity or something else; `WhoId`
// is a contact or a lead. Links that the model has no field for stay as they are.
// https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_task.htm

const kinds = { account: "Account", opportunity: "Opportunity" } as const

type Field = keyof typeof kinds

const idOf = (kind: Kind, id: unknown) => (isOf(kind, id) ? String(id) : null)

/** Salesforce works out the account of an activity that is about an opportunity or has a contact only. */
export const about = (of: Entries<Field>) =>
  oneLink(of, {
    fields: ["opportunity", "account"],
    noun: "an activity",
    native: ["WhatId", "AccountId"],
    follows: ["account"],
    idIn: ({ WhatId }, field) => idOf(kinds[field], WhatId),
    shows: ({ AccountId, WhatId }, field) => idOf(kinds[field], WhatId) ?? (field === "account" ? AccountId : null),
    accepts: (field, value, encoding) => fits(kinds[field], value, encoding.prefix + field, encoding),
    isSame,
    write: (link, { body, current, mode, set }) => {
      if (link !== null) return set("WhatId", link.id)
      // without the opportunity the activity is still about the account
      const isAccountKept =
        mode === "patch" && body.account === undefined && isOf("Opportunity", current?.record.WhatId)
      set("WhatId", isAccountKept ? (current?.record.AccountId ?? null) : null)
    }
  })

/** Filters by the links of tasks; the account is that of the record a task is about. */
export const links = {
  account: refers("AccountId", "Account"),
  contact: refers("WhoId", "Contact"),
  opportunity: refers("WhatId", "Opportunity"),
  owner: refers("OwnerId")
}

/** The one person of a task. */
export const person = {
  native: ["WhoId"],
  decode: ({ record }: Bundle) => ofKind("Contact", record.WhoId),
  needsCurrent: true,
  encode: (value: unknown, encoding: Encoding) => {
    if (!fits("Contact", value, `${encoding.prefix}contact`, encoding)) return
    if (value !== null || isOf("Contact", encoding.current?.record.WhoId)) encoding.set("WhoId", value)
  }
}

export const contact = computed({ ...person, canonical: "contact" })
