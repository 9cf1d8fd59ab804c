import { HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { createServer } from "node:http"
import { v1, v2 } from "pipedrive"
import { simulator } from "../../../src/providers/pipedrive/simulator/PipedriveSimulator.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { app, connect } from "../../../src/providers/simulation/Simulator.ts"

// Pipedrive's own client library judges the simulator.

const world = Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)

/** The simulator on a port, and what opens an account of it. */
const port = Effect.gen(function* () {
  const server = yield* NodeHttpServer.make(createServer, { host: "127.0.0.1", port: 0 })
  yield* server.serve(yield* app(simulator))
  const url = HttpServer.formatAddress(server.address)
  const tokens = yield* connect(simulator, "client")
  return {
    url,
    ...tokens,
    two: new v2.Configuration({ accessToken: tokens.accessToken, basePath: `${url}/api/v2` }),
    one: new v1.Configuration({ accessToken: tokens.accessToken, basePath: `${url}/v1` })
  }
})

const test = <E>(
  name: string,
  use: (at: Effect.Effect.Success<typeof port>) => Effect.Effect<void, E, SimulationStore | Faults>
) => it.scopedLive(name, () => port.pipe(Effect.flatMap(use), Effect.provide(world)))

const call = <A>(request: () => Promise<A>) => Effect.tryPromise(request)

const readFailure = Schema.decodeUnknown(Schema.Struct({ success: Schema.Literal(false), error: Schema.String }))

/** The error of a call that must fail; the library rejects with the body of the answer. */
const refusal = <A>(request: () => Promise<A>) =>
  Effect.tryPromise({ try: request, catch: (body) => body }).pipe(
    Effect.flip,
    Effect.flatMap(readFailure),
    Effect.map(({ error }) => error)
  )

interface Page {
  readonly data?: ReadonlyArray<{ readonly id?: number }>
  readonly additional_data?: { readonly next_cursor?: string }
}

/** The ids of a whole list of API v2. */
const walk = (list: (cursor: { readonly cursor?: string }) => Promise<Page>) =>
  Effect.gen(function* () {
    const ids: Array<number | undefined> = []
    let cursor: string | undefined
    do {
      const from = cursor === undefined ? {} : { cursor }
      const page: Page = yield* call(() => list(from))
      ids.push(...(page.data ?? []).map(({ id }) => id))
      cursor = page.additional_data?.next_cursor ?? undefined
    } while (cursor !== undefined)
    assert.strictEqual(new Set(ids).size, ids.length)
    return ids
  })

const idOf = (record: { readonly id?: number } | undefined): number => record?.id ?? 0

describe("Pipedrive's client library", () => {
  test("persons", ({ two }) =>
    Effect.gen(function* () {
      const api = new v2.PersonsApi(two)
      const { data: made } = yield* call(() =>
        api.addPerson({
          AddPersonRequest: {
            name: "Ada Byron",
            emails: [{ value: "ada@byron.example", label: "work", primary: true }]
          }
        })
      )
      const id = idOf(made)
      yield* call(() => api.updatePerson({ id, UpdatePersonRequest: { job_title: "Analyst" } }))
      const { data: read } = yield* call(() => api.getPerson({ id }))
      assert.deepInclude(read, { name: "Ada Byron", first_name: "Ada", last_name: "Byron", job_title: "Analyst" })
      const ids = yield* walk((cursor) => api.getPersons({ limit: 83, ...cursor }))
      assert.strictEqual(ids.length, 271)
      assert.include(ids, id)
      assert.strictEqual((yield* call(() => api.deletePerson({ id }))).data?.id, id)
      assert.strictEqual((yield* walk((cursor) => api.getPersons({ limit: 500, ...cursor }))).length, 270)
      assert.strictEqual(yield* refusal(() => api.deletePerson({ id })), "Entity was not found")
    }))

  test("a search for persons", ({ two }) =>
    Effect.gen(function* () {
      const api = new v2.PersonsApi(two)
      const add = (name: string, email: string, org_id?: number) =>
        call(() =>
          api.addPerson({
            AddPersonRequest: {
              name,
              emails: [{ value: email, label: "work", primary: true }],
              ...(org_id === undefined ? {} : { org_id })
            }
          })
        )
      const { data: organization } = yield* call(() =>
        new v2.OrganizationsApi(two).addOrganization({ AddOrganizationRequest: { name: "Engines" } })
      )
      const org = idOf(organization)
      const ids = [
        idOf((yield* add("Zyx Wvut", "zyx@engines.example", org)).data),
        idOf((yield* add("Zyx Other", "other@engines.example")).data)
      ]
      const search = (request: Parameters<typeof api.searchPersons>[0]) =>
        Effect.map(
          call(() => api.searchPersons(request)),
          ({ data }) => data?.items?.map(({ item }) => item) ?? []
        )
      const found = yield* search({ term: "zYX" })
      assert.deepStrictEqual(
        found.map((item) => item?.id),
        ids
      )
      assert.deepInclude(
        { ...found[0] },
        {
          type: "person",
          name: "Zyx Wvut",
          emails: ["zyx@engines.example"]
        }
      )
      assert.strictEqual(found[0]?.organization?.name, "Engines")
      assert.lengthOf(yield* search({ term: "engines.example", fields: "email" }), 2)
      assert.lengthOf(yield* search({ term: "engines.example", fields: "name" }), 0)
      assert.lengthOf(yield* search({ term: "zyx", exact_match: true }), 0)
      assert.lengthOf(yield* search({ term: "zyx wvut", exact_match: true }), 1)
      assert.lengthOf(yield* search({ term: "zyx", organization_id: org }), 1)
      const first = yield* call(() => api.searchPersons({ term: "zyx", limit: 1 }))
      const cursor = first.additional_data?.next_cursor ?? ""
      assert.deepStrictEqual(
        (yield* search({ term: "zyx", limit: 1, cursor })).map((item) => item?.id),
        ids.slice(1)
      )
      assert.include(yield* refusal(() => api.searchPersons({ term: "z" })), "term")
    }))

  test("organizations", ({ two }) =>
    Effect.gen(function* () {
      const api = new v2.OrganizationsApi(two)
      const fields = yield* call(() => new v2.OrganizationFieldsApi(two).getOrganizationFields({ limit: 500 }))
      const limit = fields.data?.find(({ field_name }) => field_name === "Credit limit")?.field_code ?? ""
      const { data: made } = yield* call(() =>
        api.addOrganization({
          AddOrganizationRequest: {
            name: "Analytical Engines",
            custom_fields: { [limit]: { value: 1, currency: "GBP" } }
          }
        })
      )
      const id = idOf(made)
      yield* call(() =>
        api.updateOrganization({ id, UpdateOrganizationRequest: { address: { value: "1 St James's Square" } } })
      )
      const { data: read } = yield* call(() => api.getOrganization({ id }))
      assert.strictEqual(read?.address?.value, "1 St James's Square")
      assert.deepStrictEqual(read?.custom_fields?.[limit], { value: 1, currency: "GBP" })
      assert.strictEqual((yield* walk((cursor) => api.getOrganizations({ limit: 7, ...cursor }))).length, 61)
      yield* call(() => api.deleteOrganization({ id }))
      assert.isTrue((yield* call(() => api.getOrganization({ id }))).data?.is_deleted)
    }))

  test("deals", ({ two }) =>
    Effect.gen(function* () {
      const api = new v2.DealsApi(two)
      const { data: made } = yield* call(() => api.addDeal({ AddDealRequest: { title: "Engine", value: 4000.5 } }))
      const id = idOf(made)
      yield* call(() => api.updateDeal({ id, UpdateDealRequest: { stage_id: 3, status: "won" } }))
      const { data: read } = yield* call(() => api.getDeal({ id, include_fields: "notes_count" }))
      assert.deepInclude(read, { value: 4000.5, stage_id: 3, pipeline_id: 1, status: "won" })
      assert.strictEqual((yield* walk((cursor) => api.getDeals({ limit: 500, ...cursor }))).length, 261)
      yield* call(() => api.deleteDeal({ id }))
      assert.deepStrictEqual(yield* walk((cursor) => api.getDeals({ status: "deleted", ...cursor })), [id])
      const refused = yield* refusal(() => api.addDeal({ AddDealRequest: { title: "" } }))
      assert.strictEqual(refused, "Validation failed: title: This value is not allowed to be empty.")
    }))

  test("activities", ({ two }) =>
    Effect.gen(function* () {
      const api = new v2.ActivitiesApi(two)
      const [person] = (yield* call(() => new v2.PersonsApi(two).getPersons({ limit: 1 }))).data ?? []
      const participants = [{ person_id: idOf(person), primary: true }]
      const { data: made } = yield* call(() =>
        api.addActivity({ AddActivityRequest: { subject: "Demonstration", type: "meeting", participants } })
      )
      const id = idOf(made)
      yield* call(() => api.updateActivity({ id, AddActivityRequest: { done: true } }))
      const { data: read } = yield* call(() => api.getActivity({ id }))
      assert.deepInclude(read, { subject: "Demonstration", done: true, person_id: idOf(person) })
      assert.strictEqual((yield* walk((cursor) => api.getActivities({ limit: 111, ...cursor }))).length, 281)
      yield* call(() => api.deleteActivity({ id }))
      assert.strictEqual((yield* walk((cursor) => api.getActivities({ limit: 500, ...cursor }))).length, 280)
    }))

  test("leads", ({ one, two }) =>
    Effect.gen(function* () {
      const api = new v1.LeadsApi(one)
      const [person] = (yield* call(() => new v2.PersonsApi(two).getPersons({ limit: 1 }))).data ?? []
      const { data: made } = yield* call(() =>
        api.addLead({ AddLeadRequest: { title: "Difference engine", person_id: idOf(person) } })
      )
      const id = made?.id ?? ""
      yield* call(() => api.updateLead({ id, UpdateLeadRequest: { value: { amount: 10, currency: "EUR" } } }))
      assert.deepInclude((yield* call(() => api.getLead({ id }))).data, {
        title: "Difference engine",
        value: { amount: 10, currency: "EUR" }
      })
      const ids: Array<string | undefined> = []
      for (let start = 0; start === ids.length; start += 20) {
        ids.push(...((yield* call(() => api.getLeads({ start, limit: 20 }))).data ?? []).map((lead) => lead.id))
      }
      assert.strictEqual(new Set(ids).size, 67)
      assert.include(ids, id)
      assert.strictEqual((yield* call(() => api.deleteLead({ id }))).data?.id, id)
      assert.strictEqual(yield* refusal(() => api.getLead({ id })), "requested lead not found")
    }))

  test("notes", ({ one, two }) =>
    Effect.gen(function* () {
      const api = new v1.NotesApi(one)
      const [deal] = (yield* call(() => new v2.DealsApi(two).getDeals({ limit: 1 }))).data ?? []
      const { data: made } = yield* call(() =>
        api.addNote({ AddNoteRequest: { content: "<p>First</p>", deal_id: idOf(deal), pinned_to_deal_flag: 1 } })
      )
      const id = idOf(made)
      yield* call(() => api.updateNote({ id, NoteRequest: { content: "<p>Second</p>" } }))
      assert.deepInclude((yield* call(() => api.getNote({ id }))).data, {
        content: "<p>Second</p>",
        pinned_to_deal_flag: true
      })
      const { additional_data: more, data } = yield* call(() => api.getNotes({ limit: 500 }))
      assert.strictEqual(data?.length, 161)
      assert.isFalse(more?.pagination?.more_items_in_collection)
      assert.isTrue((yield* call(() => api.deleteNote({ id }))).data)
      assert.strictEqual((yield* call(() => api.getNotes({ limit: 500 }))).data?.length, 160)
    }))

  test("users, pipelines, stages and fields", ({ one, two }) =>
    Effect.gen(function* () {
      const users = new v1.UsersApi(one)
      assert.strictEqual((yield* call(() => users.getUsers())).data?.length, 6)
      const { data: me } = yield* call(() => users.getCurrentUser())
      assert.strictEqual((yield* call(() => users.getUser({ id: idOf(me) }))).data?.email, me?.email)
      assert.strictEqual(
        (yield* walk((cursor) => new v2.PipelinesApi(two).getPipelines({ limit: 1, ...cursor }))).length,
        2
      )
      const stages = yield* call(() => new v2.StagesApi(two).getStages({ pipeline_id: 1 }))
      assert.strictEqual(stages.data?.length, 5)
      assert.strictEqual((yield* call(() => new v2.StagesApi(two).getStage({ id: 2 }))).data?.name, "Contact Made")
      assert.strictEqual((yield* call(() => new v1.ActivityTypesApi(one).getActivityTypes())).data?.length, 7)
      assert.strictEqual((yield* call(() => new v1.LeadLabelsApi(one).getLeadLabels())).data?.length, 3)
      const { data: fields } = yield* call(() => new v2.DealFieldsApi(two).getDealFields({ limit: 500 }))
      assert.strictEqual(fields?.filter(({ is_custom_field }) => is_custom_field).length, 8)
    }))

  test("two persons are merged", ({ one, two }) =>
    Effect.gen(function* () {
      const persons = new v2.PersonsApi(two)
      const { data: [first, second] = [] } = yield* call(() => persons.getPersons({ limit: 2 }))
      const [id, into] = [Number(first?.id), Number(second?.id)]
      const merging = { id, MergePersonsRequest: { merge_with_id: into } }
      const { data } = yield* call(() => new v1.PersonsApi(one).mergePersons(merging))
      assert.deepInclude(data, { id: into, name: second?.name ?? "", merge_what_id: id })
      assert.strictEqual(yield* refusal(() => new v1.PersonsApi(one).mergePersons(merging)), "Entity was not found")
    }))

  test("an expired access token is refreshed by the library, and the answer says where the API is", ({
    refreshToken,
    url
  }) =>
    Effect.gen(function* () {
      const oauth = new v2.OAuth2Configuration({
        clientId: "id",
        clientSecret: "secret",
        redirectUri: "http://127.0.0.1/callback",
        host: url
      })
      oauth.updateToken({
        access_token: "client.worthless",
        refresh_token: refreshToken,
        token_type: "Bearer",
        expires_in: -1,
        scope: "base",
        api_domain: url
      })
      const issued = yield* call(() => oauth.tokenRefresh())
      assert.strictEqual(issued.api_domain, url)
      const fresh = new v2.Configuration({ accessToken: issued.access_token, basePath: `${issued.api_domain}/api/v2` })
      assert.strictEqual((yield* call(() => new v2.PipelinesApi(fresh).getPipelines())).data?.length, 2)
      const stale = new v2.Configuration({ accessToken: "client.worthless", basePath: `${url}/api/v2` })
      assert.strictEqual(yield* refusal(() => new v2.PipelinesApi(stale).getPipelines()), "unauthorized access")
    }))
})
