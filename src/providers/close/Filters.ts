import type { Query } from "../base/Paging.ts"
import { type Clause, type Clauses, exact, wide, dayBeside } from "../Filtering.ts"

/** Parameters that lists are cut down by: https://developer.close.com/api/overview/filter-parameters */

/** Records on another one, whose ids begin with its kind. */
export const link = (kind: "lead" | "cont" | "user" | "stat", parameter: string): Clause<Query> =>
  exact(({ text }) => (new RegExp(`^${kind}_\\w+$`).test(text) ? { [parameter]: text } : null))

export const created: Clauses<Query> = {
  created_after: exact(({ text }) => ({ date_created__gte: text })),
  created_before: exact(({ text }) => ({ date_created__lt: text }))
}

export const stamped: Clauses<Query> = {
  ...created,
  modified_after: exact(({ text }) => ({ date_updated__gte: text })),
  modified_before: exact(({ text }) => ({ date_updated__lt: text }))
}

/** A task without a time of day is due on the user's own day: the days around it find those of every time zone. */
export const dueTimes: Clauses<Query> = {
  due_after: wide(({ text }) => ({ date__gte: dayBeside(text, -1) })),
  due_before: wide(({ text }) => ({ date__lt: dayBeside(text, 2) }))
}
