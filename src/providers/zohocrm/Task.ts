import { Task } from "../../canonical/crm/Task.ts"
import { textContent } from "../../mapping/ContentEntries.ts"
import type { Native } from "../../mapping/Mapping.ts"
import { dateTime, day, enumeration, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { about, links } from "./Activities.ts"
import { lookup, mappingOf, owner, stamps, state } from "./Common.ts"
import { days, oneOf, refers, word } from "./Criteria.ts"
import { records } from "./Records.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html
const mapping = mappingOf(Task, (of) => [
  of.variant({
    nativeType: "Tasks",
    entries: [
      ...stamps(of),
      of.field("subject", "Subject", text),
      ...textContent(of, "Description", "a Zoho CRM task"),
      state(of, {
        canonical: "status",
        native: ["Status"],
        stateOf: ({ Status }: Native) => (Status === "Completed" ? "CLOSED" : "OPEN"),
        values: { OPEN: "Not Started", CLOSED: "Completed" }
      }),
      of.field(
        "priority",
        "Priority",
        enumeration("taskPriority", { Low: "LOW", Lowest: "LOW", Normal: "NORMAL", High: "HIGH", Highest: "HIGH" })
      ),
      of.field("due_date", "Due_Date", day),
      of.readField("completed_date", "Closed_Time", dateTime),
      owner(of),
      ...about(of),
      of.field("contact", "Who_Id", lookup)
    ],
    notHeld: {}
  })
])

const clauses = {
  ...links,
  contact: refers("Who_Id"),
  status: oneOf({ CLOSED: ["Status = 'Completed'"], OPEN: ["Status != 'Completed'", "Status is null"] }),
  ...days("due", "Due_Date"),
  q: word
}

export const task = (call: Caller) => records(call, mapping, { clauses: { Tasks: clauses } })
