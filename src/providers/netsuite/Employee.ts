import { Employee } from "../../canonical/accounting/Employee.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import { activity, identity, ownCompany } from "./Common.ts"
import { active, equal } from "./Conditions.ts"
import { entities, ownSubsidiary } from "./Entities.ts"
import { records } from "./Records.ts"
import * as Query from "./Select.ts"
import type { Suite } from "./Suite.ts"

/** https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1545222128.html */
const mapping = plainMapping(Employee, (of) => [
  of.variant({
    nativeType: "employee",
    entries: [
      ...identity(of, "dateCreated"),
      of.field("first_name", "firstName", text),
      of.field("last_name", "lastName", text),
      of.field("employee_number", "accountNumber", text),
      of.field("email_address", "email", text),
      ownCompany(of),
      activity(of, "INACTIVE")
    ],
    notHeld: {
      is_contractor: "NetSuite employees have no contractor flag: each account defines its own list of employee types."
    }
  })
])

export const employee = (own: Suite) =>
  records(
    own,
    mapping,
    [
      {
        name: "employee",
        list: entities(
          "employee",
          {
            firstName: Query.text("c.firstname"),
            lastName: Query.text("c.lastname"),
            email: Query.text("c.email"),
            ...ownSubsidiary
          },
          { email_address: equal("c.email"), status: active("c.isinactive", "INACTIVE") }
        ),
        retires: true
      }
    ],
    ["employee_number"]
  )
