import { field } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { activity, company, created, identity } from "./Common.ts"
import { records } from "./Records.ts"

/** https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1545222128.html */
const mapping = plainMapping([
  {
    nativeType: "employee",
    entries: [
      ...identity("dateCreated"),
      field("first_name", "firstName", text),
      field("last_name", "lastName", text),
      field("employee_number", "accountNumber", text),
      field("email_address", "email", text),
      company,
      activity("INACTIVE")
    ]
  }
])

export const employee = (call: Caller) =>
  records(call, mapping, [{ name: "employee", table: "employee", created: created.ofEntities, retires: true }])
