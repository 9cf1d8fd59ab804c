import { computed } from "../../mapping/Entries.ts"
import type { Bundle, Encoding } from "../../mapping/Mapping.ts"
import { fits, isOf, ofKind } from "./Kinds.ts"
import { isSame } from "./Soql.ts"

// What tasks and events have in common. `WhatId` is what an activity is about, an account, an opportunity or something
// else; `WhoId` is a contact or a lead. What the model has no field for stays as it is.
// https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_task.htm

/** Stands before `account`, which looks at what it wrote. */
export const opportunity = computed({
  canonical: "opportunity",
  native: ["WhatId"],
  decode: ({ record }) => ofKind("Opportunity", record.WhatId),
  needsCurrent: true,
  encode: (value, encoding) => {
    const { body, current, prefix, set } = encoding
    if (!fits("Opportunity", value, `${prefix}opportunity`, encoding)) return
    if (value !== null) set("WhatId", value)
    else if (isOf("Opportunity", current?.record.WhatId)) {
      // without it the activity is still about the account
      set("WhatId", body.account ?? current?.record.AccountId ?? null)
    }
  }
})

/** The account it is about; of one about an opportunity, or only with a contact, Salesforce works out theirs. */
export const account = computed({
  canonical: "account",
  native: ["WhatId", "AccountId"],
  decode: ({ record }) => ofKind("Account", record.WhatId) ?? record.AccountId,
  needsCurrent: true,
  encode: (value, encoding) => {
    const { body, current, get, prefix, refuse, set } = encoding
    if (!fits("Account", value, `${prefix}account`, encoding)) return
    const what = get("WhatId")
    const isOthers = isOf("Opportunity", what) || (value === null && !isOf("Account", what))
    if (!isOthers) set("WhatId", value)
    else if (
      body.account !== undefined &&
      ["opportunity", "contact", "contacts"].every((name) => body[name] === undefined) &&
      !isSame(value, current?.record.AccountId ?? null)
    ) {
      refuse(`${prefix}account`, "is that of the opportunity or the contact, and follows them")
    }
  }
})

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
