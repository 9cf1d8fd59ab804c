import { assert, describe, it } from "@effect/vitest"
import { Client } from "@hubspot/api-client"
import { AssociationSpecAssociationCategoryEnum } from "@hubspot/api-client/lib/codegen/crm/associations/v4/models/AssociationSpec.js"
import { Effect } from "effect"
import { simulator } from "../../../src/providers/hubspot/simulator/HubSpotSimulator.ts"
import { onPort } from "../../support/OnPort.ts"

// HubSpot's own client library against the simulator: what it completes here, it completes against HubSpot.

type Values = { readonly [property: string]: string }
interface Item {
  readonly id: string
  readonly properties: { readonly [property: string]: string | null }
  readonly createdAt: Date
  readonly updatedAt: Date
}
interface Page {
  readonly results: ReadonlyArray<Item>
  readonly paging?: { readonly next?: { readonly after: string } | undefined } | undefined
}

/** Methods that the client has for every type of object. */
interface Api {
  create(input: { properties: Values }): Promise<Item>
  getById(id: string, properties?: Array<string>): Promise<Item>
  update(id: string, input: { properties: Values }): Promise<Item>
  archive(id: string): Promise<void>
  getPage(limit?: number, after?: string, properties?: Array<string>): Promise<Page>
}

interface Kind {
  readonly name: string
  readonly api: (client: Client) => Api
  readonly made: Values
  readonly changed: Values
  /** A default page is full, and there are more. */
  readonly atLeast: number
}

const at = "2027-02-15T13:00:00Z"

const kinds: ReadonlyArray<Kind> = [
  {
    name: "contacts",
    api: ({ crm }) => crm.contacts.basicApi,
    made: { email: "ada@engine.example", firstname: "Ada" },
    changed: { firstname: "Augusta Ada" },
    atLeast: 260
  },
  {
    name: "companies",
    api: ({ crm }) => crm.companies.basicApi,
    made: { name: "Analytical Engines", numberofemployees: "12" },
    changed: { numberofemployees: "13" },
    atLeast: 60
  },
  {
    name: "deals",
    api: ({ crm }) => crm.deals.basicApi,
    made: { dealname: "An engine", amount: "17000.5", dealstage: "contractsent", pipeline: "default" },
    changed: { dealstage: "closedwon" },
    atLeast: 80
  },
  {
    name: "notes",
    api: ({ crm }) => crm.objects.notes.basicApi,
    made: { hs_note_body: "<p>Brass ⚙️</p>", hs_timestamp: at },
    changed: { hs_note_body: "<p>Steel</p>" },
    atLeast: 100
  },
  {
    name: "tasks",
    api: ({ crm }) => crm.objects.tasks.basicApi,
    made: { hs_task_subject: "Send the drawings", hs_timestamp: at, hs_task_priority: "HIGH" },
    changed: { hs_task_status: "COMPLETED" },
    atLeast: 60
  },
  {
    name: "meetings",
    api: ({ crm }) => crm.objects.meetings.basicApi,
    made: { hs_meeting_title: "Demonstration", hs_timestamp: at, hs_meeting_start_time: at },
    changed: { hs_meeting_outcome: "NO_SHOW" },
    atLeast: 40
  },
  {
    name: "calls",
    api: ({ crm }) => crm.objects.calls.basicApi,
    made: { hs_call_title: "About the engine", hs_timestamp: at, hs_call_direction: "INBOUND" },
    changed: { hs_call_duration: "60000" },
    atLeast: 60
  },
  {
    name: "emails",
    api: ({ crm }) => crm.objects.emails.basicApi,
    made: { hs_email_subject: "Your engine", hs_timestamp: at, hs_email_direction: "EMAIL" },
    changed: { hs_email_text: "It is ready." },
    atLeast: 40
  },
  {
    name: "communications",
    api: ({ crm }) => crm.objects.communications.basicApi,
    made: {
      hs_communication_body: "It is ready.",
      hs_communication_channel_type: "SMS",
      hs_communication_logged_from: "CRM",
      hs_timestamp: at
    },
    changed: { hs_communication_body: "It is nearly ready." },
    atLeast: 25
  }
]

const connected = Effect.map(onPort(simulator), ({ accessToken, refreshToken, url }) => ({
  client: new Client({ accessToken, basePath: url }),
  refreshToken,
  url
}))

const run = <A>(promise: () => Promise<A>) => Effect.promise(promise)

/** The code of the failure that a promise ends in. */
const failureOf = (promise: () => Promise<unknown>) =>
  Effect.promise(() =>
    promise().then(
      () => undefined,
      (error: unknown) => (typeof error === "object" && error !== null && "code" in error ? error.code : error)
    )
  )

const all = (api: Api) =>
  Effect.gen(function* () {
    const found: Array<Item> = []
    let after: string | undefined
    do {
      const from = after
      const page: Page = yield* run(() => api.getPage(20, from))
      found.push(...page.results)
      after = page.paging?.next?.after
    } while (after !== undefined)
    return found
  })

const spec = (associationTypeId: number) => ({
  associationCategory: AssociationSpecAssociationCategoryEnum.HubspotDefined,
  associationTypeId
})

describe("HubSpot's client library against the simulator", () => {
  it.scopedLive.each(kinds)(
    "$name: create, read, update, list all, archive",
    ({ api: apiOf, atLeast, changed, made }) =>
      Effect.gen(function* () {
        const { client } = yield* connected
        const api = apiOf(client)
        const names = Object.keys({ ...made, ...changed })

        const { createdAt, id, properties } = yield* run(() => api.create({ properties: made }))
        assert.include(properties, made)
        assert.instanceOf(createdAt, Date)

        const updated = yield* run(() => api.update(id, { properties: changed }))
        assert.include(updated.properties, changed)
        const read = yield* run(() => api.getById(id, names))
        assert.include(read.properties, { ...made, ...changed })
        assert.isAtLeast(read.updatedAt.getTime(), createdAt.getTime())

        const listed = yield* all(api)
        assert.isAtLeast(listed.length, atLeast)
        assert.strictEqual(new Set(listed.map((one) => one.id)).size, listed.length)
        assert.include(
          listed.map((one) => one.id),
          id
        )

        yield* run(() => api.archive(id))
        assert.strictEqual(yield* failureOf(() => api.getById(id)), 404)
        assert.lengthOf(yield* all(api), listed.length - 1)
      })
  )

  it.scopedLive("contacts, companies, deals: the client's own getAll", () =>
    Effect.gen(function* () {
      const { client } = yield* connected
      for (const part of [client.crm.contacts, client.crm.companies, client.crm.deals]) {
        const whole = yield* run(() => part.getAll(100))
        assert.sameMembers(
          whole.map(({ id }) => id),
          (yield* all(part.basicApi)).map(({ id }) => id)
        )
      }
    })
  )

  it.scopedLive("leads need a contact; appointments go through the objects API", () =>
    Effect.gen(function* () {
      const { client } = yield* connected
      const contact = yield* run(() => client.crm.contacts.basicApi.create({ properties: { lastname: "King" } }))
      const properties = { hs_lead_name: "Ada King" }
      const leads = client.crm.objects.leads.basicApi
      assert.strictEqual(yield* failureOf(() => leads.create({ properties, associations: [] })), 400)
      const lead = yield* run(() =>
        leads.create({ properties, associations: [{ to: { id: contact.id }, types: [spec(578)] }] })
      )
      const read = yield* run(() => leads.getById(lead.id, ["hs_lead_name"], undefined, ["contacts"]))
      const linked = read.associations?.contacts?.results ?? []
      assert.isTrue(linked.some(({ id, type }) => id === contact.id && type === "lead_to_primary_contact"))

      const objects = client.crm.objects.basicApi
      const appointment = yield* run(() =>
        objects.create("appointments", { properties: { hs_appointment_name: "Fitting", hs_appointment_start: at } })
      )
      const held = yield* run(() => objects.getById("appointments", appointment.id, ["hs_appointment_start"]))
      assert.strictEqual(held.properties.hs_appointment_start, at)
    })
  )

  it.scopedLive("associations: with labels, by default, listed, removed", () =>
    Effect.gen(function* () {
      const { client } = yield* connected
      const { associations, companies, contacts } = client.crm
      const contact = yield* run(() => contacts.basicApi.create({ properties: { lastname: "King" } }))
      const [first = "", second = ""] = (yield* run(() => companies.basicApi.getPage(2))).results.map(({ id }) => id)
      const v4 = associations.v4.basicApi
      yield* run(() => v4.create("contacts", contact.id, "companies", first, [spec(1)]))
      yield* run(() => v4.createDefault("contacts", contact.id, "companies", second))
      const links = () => run(() => v4.getPage("contacts", contact.id, "companies", undefined, 500))
      const kindsOf = Effect.map(links(), ({ results }) =>
        results.map(({ associationTypes, toObjectId }) => [
          toObjectId,
          associationTypes.map(({ typeId }) => typeId).toSorted((a, b) => a - b)
        ])
      )
      assert.sameDeepMembers(yield* kindsOf, [
        [first, [1, 279]],
        [second, [279]]
      ])
      yield* run(() => v4.archive("contacts", contact.id, "companies", first))
      assert.deepStrictEqual(
        (yield* links()).results.map(({ toObjectId }) => toObjectId),
        [second]
      )
    })
  )

  it.scopedLive("owners and pipelines", () =>
    Effect.gen(function* () {
      const { client } = yield* connected
      const { ownersApi } = client.crm.owners
      const [owner] = (yield* run(() => ownersApi.getPage(undefined, undefined, 1))).results
      assert.isDefined(owner)
      const found = yield* run(() => ownersApi.getById(Number(owner?.id)))
      assert.strictEqual(found.email, owner?.email)

      for (const [type, id] of [
        ["deals", "default"],
        ["leads", "lead-pipeline-id"]
      ] as const) {
        const pipelines = yield* run(() => client.crm.pipelines.pipelinesApi.getAll(type))
        assert.isAbove(pipelines.results.length, 1)
        const pipeline = yield* run(() => client.crm.pipelines.pipelinesApi.getById(type, id))
        const stages = yield* run(() => client.crm.pipelines.pipelineStagesApi.getAll(type, id))
        assert.deepStrictEqual(
          stages.results.map((stage) => stage.id),
          pipeline.stages.map((stage) => stage.id)
        )
      }
    })
  )

  it.scopedLive("tokens are refreshed", () =>
    Effect.gen(function* () {
      const { refreshToken, url } = yield* connected
      const client = new Client({ basePath: url })
      const refresh = (token: string) =>
        client.oauth.tokensApi.create("refresh_token", undefined, undefined, "id", "secret", token)
      const { accessToken, expiresIn, refreshToken: kept } = yield* run(() => refresh(refreshToken))
      assert.strictEqual(expiresIn, 1800)
      assert.strictEqual(kept, refreshToken)
      assert.strictEqual(yield* failureOf(() => client.crm.contacts.basicApi.getPage(1)), 401)
      client.setAccessToken(accessToken)
      assert.lengthOf((yield* run(() => client.crm.contacts.basicApi.getPage(1))).results, 1)
      assert.strictEqual(yield* failureOf(() => refresh("made up")), 400)
    })
  )
})
