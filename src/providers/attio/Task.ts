import { Task } from "../../canonical/crm/Task.ts"
import type { Entries } from "../../mapping/Entries.ts"
import { type ComputedEntry, type Native, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { dateTime, enumeration } from "../../mapping/Transform.ts"
import { byOffset, type Query } from "../base/Paging.ts"
import { rest } from "../base/Rest.ts"
import type { Caller } from "../base/Upstream.ts"
import { type Clauses, exact, wide } from "../Filtering.ts"
import type { CreateRequest } from "../ProviderAdapter.ts"
import { uuid } from "./Filters.ts"
import { byCreation, endpoint, offsets } from "./Records.ts"
import { firstOf, member, notDated, stamps } from "./Values.ts"

/** Links are read with `target_object_id` and written with `target_object`. */
const objectOf = ({ target_object, target_object_id }: Native) => target_object ?? target_object_id

/** The first record of an object that a task is linked to. Writing it replaces that link and leaves the others. */
const link = <N extends string>(
  { computed }: Pick<Entries<N>, "computed">,
  canonical: N,
  object: string
): ComputedEntry<N> =>
  computed({
    canonical,
    native: ["linked_records"],
    needsCurrent: true,
    decode: ({ record }) =>
      natives(record.linked_records).find((one) => objectOf(one) === object)?.target_record_id ?? null,
    encode: (id, { get, set }) => {
      const links = natives(get("linked_records"))
      const first = links.find((one) => objectOf(one) === object)
      if (id === (first?.target_record_id ?? null)) return
      const isWritten = (one: Native) => objectOf(one) === object && one.target_record_id === id
      const others = links.filter((one) => one !== first && !isWritten(one))
      set(
        "linked_records",
        [...(id === null ? [] : [{ target_object: object, target_record_id: id }]), ...others].map((one: Native) => ({
          target_object: objectOf(one),
          target_record_id: one.target_record_id
        }))
      )
    }
  })

/** https://docs.attio.com/rest-api/endpoint-reference/tasks */
const mapping = plainMapping(Task, (of) => [
  of.variant({
    nativeType: "tasks",
    entries: [
      ...stamps(of, "task_id"),
      // all that a task says; no call changes it
      of.computed({
        canonical: "subject",
        native: ["content_plaintext"],
        needsCurrent: true,
        decode: ({ record }) => record.content_plaintext,
        encode: (subject, { current, prefix, set, warn }) => {
          if (current === undefined) set("content", subject)
          else if (subject !== current.record.content_plaintext) {
            warn(`${prefix}subject`, "CHANGED", "stays as it is: Attio has no call that changes what a task says")
          }
        }
      }),
      of.lasting("status", "is_completed", enumeration("completed", { false: "OPEN", true: "CLOSED" })),
      of.field("due_date", "deadline_at", dateTime),
      of.readField("completed_date", "completed_at", dateTime),
      firstOf(of, "owner", "assignees", member),
      link(of, "contact", "people"),
      link(of, "account", "companies"),
      link(of, "opportunity", "deals")
    ],
    notHeld: {
      ...notDated,
      content: "An Attio task has one text, which is its subject.",
      content_type: "An Attio task has one text, which is its subject.",
      priority: "Attio tasks have no priority."
    }
  })
])

/** Finds tasks linked to a record; the service sifts out those whose first link leads to another one. */
const linkedTo = (linked_object: string) =>
  wide<Query>(({ text }) => (uuid.test(text) ? { linked_object, linked_record_id: text } : null))

/** https://docs.attio.com/rest-api/endpoint-reference/tasks/list-tasks */
const filters: Clauses<Query> = {
  status: exact(({ values }) => (new Set(values).size > 1 ? {} : { is_completed: values.includes("CLOSED") })),
  owner: wide(({ text }) => (uuid.test(text) ? { assignee: text } : null)),
  contact: linkedTo("people"),
  account: linkedTo("companies")
}

/** All that a new task must say. */
const nothing = { format: "plaintext", deadline_at: null, is_completed: false, linked_records: [], assignees: [] }

export const task = (call: Caller) => {
  const plain = rest(call, {
    ...endpoint("task_id"),
    mapping,
    path: (type) => `/v2/${type}`,
    paging: byOffset({ ...offsets, most: 500, key: byCreation, order: { sort: "created_at:asc" } }),
    filters,
    body: (data) => ({ data })
  })
  return {
    ...plain,
    create: (request: CreateRequest) => {
      const record = { ...nothing, ...request.encoded.record }
      return plain.create({ ...request, encoded: { ...request.encoded, record } })
    }
  }
}
