import { Company } from "../../canonical/crm/Company.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { stamps } from "./Common.ts"
import { objects } from "./Objects.ts"

/** Close calls companies leads. https://developer.close.com/api/resources/leads */
const mapping = plainMapping(Company, ({ field, lines }) => [
  {
    nativeType: "lead",
    entries: [
      ...stamps,
      field("name", "name", text),
      field("description", "description", text),
      field("website", "url", text),
      lines("addresses", {
        native: "addresses",
        forms: ({ field }) => [
          {
            where: {},
            entries: [
              field("street_1", "address_1", text),
              field("street_2", "address_2", text),
              field("city", "city", text),
              field("state", "state", text),
              field("postal_code", "zipcode", text),
              field("country", "country", text)
            ]
          }
        ]
      })
    ]
  }
])

export const company = (call: Caller) => objects(call, mapping)
