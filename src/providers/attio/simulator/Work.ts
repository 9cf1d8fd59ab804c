import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { type Kind, kept, may, must, type Rule, set } from "../../simulation/table/Kind.ts"
import { anyText, equal, type Filter, flag, where } from "../../simulation/table/Query.ts"
import * as V from "../../simulation/table/Value.ts"
import { app, memberId, memberOf, slugOf, stamp, uuidOf, workspace } from "./Workspace.ts"

/** Notes and tasks, which hang on records. */

const isThere = (account: Account, object: unknown, id: unknown) => {
  const slug = slugOf(object)
  return slug !== undefined && account.get(slug, String(id)) !== undefined
}

const time = V.formed("timestamp", "timestamp", (text) =>
  Number.isNaN(Date.parse(text)) ? undefined : stamp(Date.parse(text))
)

const parented: Rule = ({ account, after }) =>
  isThere(account, after.parent_object, after.parent_record_id)
    ? Either.right({ ...after, parent_object: slugOf(after.parent_object) })
    : Either.left([{ path: "parent_record_id", complaint: { is: "absent" } }])

const written = <F extends { readonly writes?: unknown }>(field: F) => ({ ...field, writes: "create" as const })

const common = { nextId: (account: Account) => uuidOf(`work ${account.nextId()}`), stamps: () => ({}) }

const made = ({ now }: Account) => ({ created_at: stamp(now), created_by_actor: app })

/** https://docs.attio.com/rest-api/endpoint-reference/notes */
export const notes: Kind = {
  ...common,
  name: "notes",
  id: "note_id",
  fields: [
    set("note_id", "ID", V.text("id")),
    written(must("parent_object", "Parent object", V.text("slug"))),
    written(must("parent_record_id", "Parent record", V.text("id"))),
    written(must("title", "Title", V.text("text"))),
    written(must("format", "Format", V.choice("format", ["plaintext", "markdown"]))),
    written(must("content", "Content", V.text("text"))),
    written(may("meeting_id", "Meeting", V.text("id"))),
    written(may("created_at", "Created at", time))
  ],
  rules: [parented],
  made: (account) => made(account),
  sorts: [],
  filters: [equal("parent_object", anyText), equal("parent_record_id", anyText)],
  view: {
    names: [],
    read: () =>
      Either.right((_, { content, created_at, created_by_actor, meeting_id, note_id, ...record }) => ({
        id: { workspace_id: workspace.id, note_id },
        parent_object: record.parent_object,
        parent_record_id: record.parent_record_id,
        title: record.title,
        meeting_id,
        content_plaintext: content,
        content_markdown: content,
        tags: [],
        created_by_actor,
        created_at
      }))
  }
}

const link = V.object("link", { target_object: V.text("slug"), target_record_id: V.text("id") }, [
  "target_object",
  "target_record_id"
])
const actor = V.object(
  "actor",
  { referenced_actor_type: V.choice("type", ["workspace-member"]), referenced_actor_id: V.text("id") },
  ["referenced_actor_type", "referenced_actor_id"]
)

const listOf = (values: unknown): ReadonlyArray<Doc> => (Array.isArray(values) ? values.filter(Predicate.isRecord) : [])

const needed = ["deadline_at", "is_completed", "linked_records", "assignees"]

const complete: Rule = ({ before, after, given }) => {
  const missing = before === undefined ? needed.filter((name) => given[name] === undefined) : []
  if (missing.length > 0) return Either.left(missing.map((path) => ({ path, complaint: { is: "required" } })))
  return Either.right(after)
}

const linked: Rule = ({ account, after, before, given }) => {
  const lost =
    listOf(given.linked_records).some((one) => !isThere(account, one.target_object, one.target_record_id)) ||
    listOf(given.assignees).some((one) => memberOf(one.referenced_actor_id) === undefined)
  if (lost) return Either.left([{ path: "linked_records", complaint: { is: "absent" } }])
  const completed_at =
    after.is_completed !== true ? null : before?.is_completed === true ? before.completed_at : stamp(account.now)
  return Either.right({ ...after, completed_at })
}

/** Tasks that are linked to one record, which two parameters name. */
const linkedTo: Filter = {
  names: ["linked_object", "linked_record_id"],
  read: (query) => {
    const [object, id] = [query("linked_object"), query("linked_record_id")]
    if (object === undefined && id === undefined) return Either.right(() => true)
    if (object === undefined || id === undefined) {
      const path = object === undefined ? "linked_object" : "linked_record_id"
      return Either.left([{ path, complaint: { is: "required" } }])
    }
    return Either.right(({ linked_records }) =>
      listOf(linked_records).some((one) => slugOf(one.target_object) === slugOf(object) && one.target_record_id === id)
    )
  }
}

/** https://docs.attio.com/rest-api/endpoint-reference/tasks */
export const tasks: Kind = {
  ...common,
  name: "tasks",
  id: "task_id",
  fields: [
    set("task_id", "ID", V.text("id")),
    written(must("content", "Content", V.text("text", { filled: true, most: 2000 }))),
    written(must("format", "Format", V.choice("format", ["plaintext"]))),
    may("deadline_at", "Deadline", time),
    kept("is_completed", "Completed", V.flag("checkbox"), false),
    kept("linked_records", "Linked records", V.list("links", link), []),
    kept("assignees", "Assignees", V.list("actors", actor), [])
  ],
  rules: [complete, linked],
  made: (account) => made(account),
  sorts: ["created_at", "completed_at"],
  filters: [
    equal("is_completed", flag),
    where("assignee", anyText, ({ assignees }, named) => {
      const all = listOf(assignees)
      const found = memberOf(named)
      if (named === "" || named === "null") return all.length === 0
      return found !== undefined && all.some(({ referenced_actor_id }) => referenced_actor_id === memberId(found))
    }),
    linkedTo
  ],
  view: {
    names: [],
    read: () =>
      Either.right((account, { assignees, content, linked_records, task_id, ...record }) => ({
        id: { workspace_id: workspace.id, task_id },
        content_plaintext: content,
        deadline_at: record.deadline_at,
        is_completed: record.is_completed,
        completed_at: record.completed_at,
        linked_records: listOf(linked_records)
          .filter((one) => isThere(account, one.target_object, one.target_record_id))
          .map((one) => ({ target_object_id: slugOf(one.target_object), target_record_id: one.target_record_id })),
        assignees,
        created_by_actor: record.created_by_actor,
        created_at: record.created_at
      }))
  }
}

export const byMember = (member: Doc) => ({ type: "workspace-member", id: memberId(member) })
