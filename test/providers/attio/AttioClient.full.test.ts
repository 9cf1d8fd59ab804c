import { HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import {
  type AttioClient,
  createAttioClient,
  deleteV2NotesByNoteId,
  deleteV2ObjectsByObjectRecordsByRecordId,
  deleteV2TasksByTaskId,
  getV2ByTargetByIdentifierAttributes,
  getV2ByTargetByIdentifierAttributesByAttributeStatuses,
  getV2Notes,
  getV2NotesByNoteId,
  getV2Objects,
  getV2ObjectsByObjectRecordsByRecordId,
  getV2Self,
  getV2Tasks,
  getV2TasksByTaskId,
  getV2WorkspaceMembers,
  getV2WorkspaceMembersByWorkspaceMemberId,
  patchV2ObjectsByObjectRecordsByRecordId,
  patchV2TasksByTaskId,
  postV2Notes,
  postV2ObjectsByObjectRecords,
  postV2ObjectsByObjectRecordsQuery,
  postV2Tasks,
  putV2ObjectsByObjectRecordsByRecordId
} from "attio-ts-sdk"
import { Effect, Layer } from "effect"
import { createServer } from "node:http"
import { simulator } from "../../../src/providers/attio/simulator/AttioSimulator.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { app, connect } from "../../../src/providers/simulation/Simulator.ts"

// A client library made of Attio's OpenAPI description judges the simulator: it validates every request and every answer.

const world = Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)

const port = Effect.gen(function* () {
  const server = yield* NodeHttpServer.make(createServer, { host: "127.0.0.1", port: 0 })
  yield* server.serve(yield* app(simulator))
  const { accessToken } = yield* connect(simulator, "client")
  return createAttioClient({
    apiKey: accessToken,
    baseUrl: HttpServer.formatAddress(server.address),
    throwOnError: true,
    retry: { maxRetries: 0 }
  })
})

const test = <E>(name: string, use: (client: AttioClient) => Effect.Effect<void, E, SimulationStore | Faults>) =>
  it.scopedLive(name, () => port.pipe(Effect.flatMap(use), Effect.provide(world)))

/** The data of a call's answer; fails without any. */
const call = <A>(request: () => Promise<{ readonly data?: { readonly data?: A } | undefined }>) =>
  Effect.flatMap(Effect.tryPromise(request), ({ data }) => Effect.fromNullable(data?.data))

const done = (request: () => Promise<unknown>) => Effect.asVoid(Effect.tryPromise(request))

const refusal = (request: () => Promise<unknown>) =>
  Effect.flip(Effect.tryPromise({ try: request, catch: (error) => error })).pipe(Effect.map(String))

const member = "workspace-member"

describe("Attio's client library", () => {
  test("the workspace", (client) =>
    Effect.gen(function* () {
      const self = yield* Effect.tryPromise(() => getV2Self({ client }))
      assert.strictEqual(self.data?.active, true)
      const objects = yield* call(() => getV2Objects({ client }))
      assert.deepStrictEqual(
        objects.map(({ api_slug }) => api_slug),
        ["people", "companies", "deals"]
      )
      for (const identifier of ["people", "companies", "deals"]) {
        const path = { target: "objects", identifier } as const
        assert.isNotEmpty(yield* call(() => getV2ByTargetByIdentifierAttributes({ client, path })))
      }
      const stage = { target: "objects", identifier: "deals", attribute: "stage" } as const
      const stages = yield* call(() => getV2ByTargetByIdentifierAttributesByAttributeStatuses({ client, path: stage }))
      assert.include(
        stages.map(({ title }) => title),
        "In Progress"
      )
      const members = yield* call(() => getV2WorkspaceMembers({ client }))
      const workspace_member_id = members[0]?.id.workspace_member_id ?? ""
      const one = yield* call(() => getV2WorkspaceMembersByWorkspaceMemberId({ client, path: { workspace_member_id } }))
      assert.deepStrictEqual(one, members[0])
    }))

  test("records: what filters find, and which are refused", (client) =>
    Effect.gen(function* () {
      const query = (object: string, filter: { [key: string]: unknown }) =>
        postV2ObjectsByObjectRecordsQuery({ client, path: { object }, body: { limit: 500, filter } })
      const count = (object: string, filter: { [key: string]: unknown }) =>
        Effect.map(
          call(() => query(object, filter)),
          (found) => found.length
        )
      const all = yield* count("deals", {})
      const won = yield* count("deals", { stage: "Won 🎉" })
      assert.isAbove(won, 0)
      assert.strictEqual(yield* count("deals", { $not: { stage: "Won 🎉" } }), all - won)
      assert.strictEqual(yield* count("deals", { $or: [{ stage: "Won 🎉" }, { name: { $contains: "" } }] }), all)
      assert.strictEqual(
        yield* count("people", { created_at: { $gte: "2020-01-01T00:00:00Z", $lt: "2020-01-01T00:00:00Z" } }),
        0
      )
      for (const [object, filter] of [
        ["people", { shoe_size: 42 }],
        ["people", { name: { middle_name: "M." } }],
        ["people", { name: { $gt: "A" } }],
        ["people", { created_at: { $gte: "2020-01-01" } }],
        ["people", { company: { target_record_id: "99a03ff3-0435-47da-95cc-76b2caeb4dab" } }],
        ["people", { primary_location: { latitude: "1" } }],
        ["deals", { owner: "99a03ff3-0435-47da-95cc-76b2caeb4dab" }],
        ["deals", { stage: "No such stage" }],
        ["deals", { $and: ["stage"] }]
      ] as const) {
        assert.include(yield* refusal(() => query(object, filter)), "filter", JSON.stringify(filter))
      }
    }))

  test("records: queried, made, replaced, added to, deleted", (client) =>
    Effect.gen(function* () {
      for (const object of ["people", "companies", "deals"]) {
        const query = (offset: number) =>
          call(() =>
            postV2ObjectsByObjectRecordsQuery({
              client,
              path: { object },
              body: { limit: 100, offset, sorts: [{ attribute: "created_at", direction: "asc" }] }
            })
          )
        const pages = yield* Effect.all([query(0), query(100), query(200)])
        const ids = pages.flat().map(({ id }) => id.record_id)
        assert.strictEqual(new Set(ids).size, ids.length, object)
        assert.isAtLeast(ids.length, 60)
      }
      const people = { object: "people" }
      const values = {
        name: [{ first_name: "Ada", last_name: "Lovelace", full_name: "Ada Lovelace" }],
        email_addresses: ["Ada@Engine.example"],
        phone_numbers: [{ original_phone_number: "+44 20 7946 0101" }]
      }
      const made = yield* call(() =>
        postV2ObjectsByObjectRecords({
          client,
          path: people,
          body: { data: { values: { ...values, job_title: ["Analyst"] } } }
        })
      )
      const path = { ...people, record_id: made.id.record_id }
      const more = { data: { values: { email_addresses: ["second@engine.example"] } } }
      const added = yield* call(() => patchV2ObjectsByObjectRecordsByRecordId({ client, path, body: more }))
      assert.strictEqual(added.values?.email_addresses?.length, 2)
      const replaced = yield* call(() => putV2ObjectsByObjectRecordsByRecordId({ client, path, body: more }))
      assert.strictEqual(replaced.values?.email_addresses?.length, 1)
      assert.strictEqual(replaced.values?.job_title?.length, 1, "what a PUT does not name stays")
      assert.deepStrictEqual(yield* call(() => getV2ObjectsByObjectRecordsByRecordId({ client, path })), replaced)
      const taken = yield* refusal(() => postV2ObjectsByObjectRecords({ client, path: people, body: more }))
      assert.include(taken, "used by another record")
      const odd = { data: { values: { shoe_size: ["42"] } } }
      assert.include(
        yield* refusal(() => postV2ObjectsByObjectRecords({ client, path: people, body: odd })),
        'attribute with slug "shoe_size"'
      )
      yield* done(() => deleteV2ObjectsByObjectRecordsByRecordId({ client, path }))
      assert.include(yield* refusal(() => getV2ObjectsByObjectRecordsByRecordId({ client, path })), "not found")
    }))

  test("notes and tasks", (client) =>
    Effect.gen(function* () {
      const [person] = yield* call(() =>
        postV2ObjectsByObjectRecordsQuery({ client, path: { object: "people" }, body: { limit: 1 } })
      )
      const [owner] = yield* call(() => getV2WorkspaceMembers({ client }))
      const record = person?.id.record_id ?? ""
      const note = yield* call(() =>
        postV2Notes({
          client,
          body: {
            data: {
              parent_object: "people",
              parent_record_id: record,
              title: "",
              format: "plaintext",
              content: "Rang back."
            }
          }
        })
      )
      const note_id = note.id.note_id
      assert.deepStrictEqual(yield* call(() => getV2NotesByNoteId({ client, path: { note_id } })), note)
      const ofPerson = { parent_object: "people", parent_record_id: record }
      const listed = yield* call(() => getV2Notes({ client, query: { ...ofPerson, limit: 50 } }))
      assert.include(
        listed.map(({ id }) => id.note_id),
        note_id
      )
      yield* done(() => deleteV2NotesByNoteId({ client, path: { note_id } }))

      const task = yield* call(() =>
        postV2Tasks({
          client,
          body: {
            data: {
              content: "Ring back",
              format: "plaintext",
              deadline_at: "2027-02-16T00:00:00.000Z",
              is_completed: false,
              linked_records: [{ target_object: "people", target_record_id: record }],
              assignees: [{ referenced_actor_type: member, referenced_actor_id: owner?.id.workspace_member_id ?? "" }]
            }
          }
        })
      )
      const path = { task_id: task.id.task_id }
      const closed = yield* call(() => patchV2TasksByTaskId({ client, path, body: { data: { is_completed: true } } }))
      assert.strictEqual(closed.linked_records[0]?.target_object_id, "people")
      assert.isString(closed.completed_at)
      assert.deepStrictEqual(yield* call(() => getV2TasksByTaskId({ client, path })), closed)
      const open = yield* call(() => getV2Tasks({ client, query: { is_completed: false, limit: 500 } }))
      assert.isTrue(open.length > 0 && open.every(({ is_completed }) => !is_completed))
      yield* done(() => deleteV2TasksByTaskId({ client, path }))
      assert.include(yield* refusal(() => getV2TasksByTaskId({ client, path })), "not found")
    }))
})
