import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import jsforce from "jsforce"
import { simulator } from "../../../src/providers/salesforce/simulator/SalesforceSimulator.ts"
import { onPort } from "../../support/OnPort.ts"

// jsforce, the client library most use, against the simulator: what it completes here, it completes against Salesforce.

interface Opened {
  readonly connection: jsforce.Connection
  readonly url: string
  readonly accessToken: string
  readonly refreshToken: string
}

const open = Effect.map(onPort(simulator), ({ accessToken, refreshToken, url }): Opened => ({
  url,
  accessToken,
  refreshToken,
  connection: new jsforce.Connection({ instanceUrl: url, loginUrl: url, accessToken, version: "66.0" })
}))

const test = (name: string, use: (opened: Opened) => Effect.Effect<void, unknown>) =>
  it.scopedLive(name, () => Effect.flatMap(open, use))

const call = <A>(request: () => PromiseLike<A>) => Effect.tryPromise(request)

/** The code of a refused call, which jsforce puts in its errors as `errorCode`. */
const refusal = (request: () => PromiseLike<unknown>) =>
  Effect.tryPromise({ try: request, catch: (error) => error }).pipe(
    Effect.flip,
    Effect.map((error) => (error instanceof Error && "errorCode" in error ? error.errorCode : error))
  )

const idOf = (saved: jsforce.SaveResult): string => {
  if (!saved.success) throw new Error(JSON.stringify(saved.errors))
  return saved.id
}

interface Kind {
  readonly type: string
  /** A new record; `ids` are those of seeded records of other types. */
  readonly made: (ids: { readonly [type: string]: string }) => { readonly [field: string]: unknown }
  readonly changed: { readonly [field: string]: unknown }
}

const kinds: ReadonlyArray<Kind> = [
  { type: "Account", made: () => ({ Name: "Engines", NumberOfEmployees: 12 }), changed: { NumberOfEmployees: 13 } },
  {
    type: "Contact",
    made: ({ Account }) => ({ LastName: "Lovelace", AccountId: Account, Tier__c: "Gold" }),
    changed: { FirstName: "Ada", Tier__c: null }
  },
  { type: "Lead", made: () => ({ LastName: "King", Company: "Ockham Park" }), changed: { Title: "Countess" } },
  {
    type: "Opportunity",
    made: ({ Account }) => ({
      Name: "An engine",
      StageName: "Prospecting",
      CloseDate: "2027-03-31",
      AccountId: Account
    }),
    changed: { StageName: "Closed Won", Amount: 17_000.5 }
  },
  {
    type: "Task",
    made: ({ Contact, Opportunity }) => ({ Subject: "Call", TaskSubtype: "Call", WhoId: Contact, WhatId: Opportunity }),
    changed: { Status: "Completed" }
  },
  {
    type: "Event",
    made: ({ Contact }) => ({
      Subject: "Demonstration",
      StartDateTime: "2027-02-15T13:00:00.000Z",
      EndDateTime: "2027-02-15T14:30:00.000Z",
      WhoId: Contact
    }),
    changed: { Location: "London" }
  },
  {
    type: "Note",
    made: ({ Account }) => ({ Title: "Visit", Body: "Brass.", ParentId: Account }),
    changed: { Body: "Steel." }
  },
  {
    type: "ContentNote",
    made: () => ({ Title: "Minutes", Content: Buffer.from("<p>Brass.</p>").toString("base64") }),
    changed: { Title: "More minutes" }
  },
  {
    type: "ServiceAppointment",
    made: ({ Account }) => ({
      ParentRecordId: Account,
      Subject: "Fitting",
      EarliestStartTime: "2027-02-15T09:00:00.000Z",
      DueDate: "2027-02-15T11:00:00.000Z"
    }),
    changed: { Status: "Scheduled" }
  }
]

describe("jsforce", () => {
  for (const { changed, made, type } of kinds) {
    test(`${type}: create, retrieve, update, query, destroy`, ({ connection }) =>
      Effect.gen(function* () {
        const ids: { [type: string]: string } = {}
        for (const other of ["Account", "Contact", "Opportunity"]) {
          const { records } = yield* call(() => connection.query(`SELECT Id FROM ${other} ORDER BY Id LIMIT 1`))
          ids[other] = String(records[0]?.Id)
        }
        const body = made(ids)
        const id = idOf(yield* call(() => connection.sobject(type).create(body)))
        const held = yield* call(() => connection.sobject(type).retrieve(id))
        const { Content: _, StartDateTime, EndDateTime, EarliestStartTime, DueDate, ...plain } = body
        assert.deepInclude(held, plain)
        for (const [name, value] of Object.entries({ StartDateTime, EndDateTime, EarliestStartTime, DueDate })) {
          if (value !== undefined) assert.strictEqual(held[name], String(value).replace("Z", "+0000"))
        }

        const updated = yield* call(() => connection.sobject(type).update({ Id: id, ...changed }))
        assert.isTrue(updated.success)
        const found = yield* call(() =>
          connection.query(`SELECT ${["Id", ...Object.keys(changed)].join(", ")} FROM ${type} WHERE Id = '${id}'`)
        )
        assert.deepInclude(found.records[0], { Id: id, ...changed })

        assert.isTrue((yield* call(() => connection.sobject(type).destroy(id))).success)
        assert.strictEqual(yield* refusal(() => connection.sobject(type).retrieve(id)), "ENTITY_IS_DELETED")
        assert.strictEqual(
          (yield* call(() => connection.query(`SELECT Id FROM ${type} WHERE Id = '${id}'`))).totalSize,
          0
        )
        const binned = yield* call(() =>
          connection.query(`SELECT Id, IsDeleted FROM ${type} WHERE Id = '${id}'`, { scanAll: true })
        )
        assert.deepInclude(binned.records[0], { Id: id, IsDeleted: true })
      }))
  }

  test("queries through all batches, by itself and by hand", ({ connection }) =>
    Effect.gen(function* () {
      const soql = "SELECT Id FROM Contact ORDER BY Id"
      const headers = { "Sforce-Query-Options": "batchSize=200" }
      const all = yield* call(() => connection.query(soql, { autoFetch: true, maxFetch: 1000, headers }))
      assert.strictEqual(all.records.length, all.totalSize)
      assert.isAbove(all.totalSize, 200)
      const first = yield* call(() => connection.query(soql, { headers }))
      assert.isFalse(first.done)
      assert.strictEqual(first.records.length, 200)
      const rest = yield* call(() => connection.queryMore(first.nextRecordsUrl ?? ""))
      assert.isTrue(rest.done)
      const ids = [...first.records, ...rest.records].map(({ Id }) => Id)
      assert.deepStrictEqual(
        all.records.map(({ Id }) => Id),
        ids
      )
      assert.strictEqual(new Set(ids).size, all.totalSize)
    }))

  test("finds by conditions, with parents and children", ({ connection }) =>
    Effect.gen(function* () {
      const events = yield* call(() =>
        connection.query(
          "SELECT Id, Who.Name, What.Type, (SELECT RelationId, Relation.Name FROM EventRelations) FROM Event WHERE IsChild = false"
        )
      )
      const invited = events.records.find(({ EventRelations }) => EventRelations !== null)
      assert.isString(invited?.EventRelations.records[0].Relation.Name)
      const tasks = yield* call(() =>
        connection.sobject("Task").find({ TaskSubtype: "Task", IsClosed: false }, ["Id", "Subject"]).limit(5)
      )
      assert.strictEqual(tasks.length, 5)
    }))

  test("links a note and reads its content and its versions", ({ connection }) =>
    Effect.gen(function* () {
      const [account] = (yield* call(() => connection.query("SELECT Id FROM Account LIMIT 1"))).records
      const Content = Buffer.from("<p>Brass,\nnot steel.</p>").toString("base64")
      const id = idOf(yield* call(() => connection.sobject("ContentNote").create({ Title: "Minutes", Content })))
      const link = { ContentDocumentId: id, LinkedEntityId: account?.Id, ShareType: "V" }
      idOf(yield* call(() => connection.sobject("ContentDocumentLink").create(link)))
      const [note] = (yield* call(() => connection.query(`SELECT Content FROM ContentNote WHERE Id = '${id}'`))).records
      const text = yield* call(() => connection.request({ method: "GET", url: String(note?.Content) }))
      assert.strictEqual(text, "<p>Brass,not steel.</p>", "line breaks are taken out")
      yield* call(() => connection.sobject("ContentNote").update({ Id: id, Content: "" }))
      const versions = yield* call(() =>
        connection.query(
          `SELECT VersionNumber, IsLatest FROM ContentVersion WHERE ContentDocumentId = '${id}' ORDER BY VersionNumber`
        )
      )
      assert.deepStrictEqual(
        versions.records.map(({ IsLatest, VersionNumber }) => [VersionNumber, IsLatest]),
        [
          ["1", false],
          ["2", true]
        ]
      )
      // only the document changes hands
      const [user] = (yield* call(() => connection.query("SELECT Id FROM User WHERE IsActive = true LIMIT 1 OFFSET 1")))
        .records
      const given = { Id: id, OwnerId: user?.Id }
      assert.strictEqual(
        yield* refusal(() => connection.sobject("ContentNote").update(given)),
        "INVALID_FIELD_FOR_INSERT_UPDATE"
      )
      yield* call(() => connection.sobject("ContentDocument").update(given))
      assert.strictEqual((yield* call(() => connection.sobject("ContentNote").retrieve(id))).OwnerId, user?.Id)
      yield* call(() => connection.sobject("ContentNote").destroy(id))
      const links = `SELECT Id FROM ContentDocumentLink WHERE ContentDocumentId = '${id}'`
      assert.strictEqual((yield* call(() => connection.query(links))).totalSize, 0)
      assert.strictEqual(yield* refusal(() => connection.sobject("ContentDocument").retrieve(id)), "ENTITY_IS_DELETED")
    }))

  test("writes many at once and upserts", ({ connection }) =>
    Effect.gen(function* () {
      const saved = yield* call(() =>
        connection.sobject("Account").create([{ Name: "One" }, { Name: "Two" }, { Name: "" }])
      )
      assert.deepStrictEqual(
        saved.map(({ success }) => success),
        [true, true, false]
      )
      const ids = saved.flatMap((one) => (one.success ? [one.id] : []))
      const many = yield* call(() => connection.sobject("Account").retrieve(ids))
      assert.deepStrictEqual(
        many.map(({ Name }) => Name),
        ["One", "Two"]
      )
      const upserted = yield* call(() =>
        connection.sobject("Account").upsert({ Name: "Three", External_Id__c: "X-3" }, "External_Id__c")
      )
      assert.isTrue(upserted.success)
      const gone = yield* call(() => connection.sobject("Account").destroy(ids))
      assert.isTrue(gone.every(({ success }) => success))
    }))

  test("describes the organisation and its objects", ({ connection }) =>
    Effect.gen(function* () {
      const { sobjects } = yield* call(() => connection.describeGlobal())
      const names = sobjects.map(({ name }) => name)
      assert.includeMembers(
        names,
        kinds.map(({ type }) => type)
      )
      for (const name of names) {
        const { fields } = yield* call(() => connection.describe(name))
        assert.include(
          fields.map((field) => field.name),
          "Id",
          name
        )
      }
      const lead = yield* call(() => connection.describe("Lead"))
      const status = lead.fields.find(({ name }) => name === "Status")
      assert.include(status?.picklistValues?.map(({ value }) => value) ?? [], "Closed - Converted")
      assert.isFalse(lead.fields.find(({ name }) => name === "ConvertedContactId")?.updateable)
      assert.isAbove((yield* call(() => connection.limits())).DailyApiRequests?.Max ?? 0, 0)
    }))

  test("tells what is wrong", ({ connection }) =>
    Effect.gen(function* () {
      const lead = connection.sobject("Lead")
      assert.strictEqual(yield* refusal(() => lead.create({ LastName: "King" })), "REQUIRED_FIELD_MISSING")
      assert.strictEqual(yield* refusal(() => connection.query("SELECT Nope FROM Lead")), "INVALID_FIELD")
      assert.strictEqual(yield* refusal(() => connection.describe("Nope")), "NOT_FOUND")
      const [converted] = (yield* call(() =>
        connection.query(
          "SELECT Id, ConvertedDate, ConvertedAccountId, ConvertedContactId, ConvertedOpportunityId FROM Lead WHERE IsConverted = true"
        )
      )).records
      for (const [name, value] of Object.entries(converted ?? {})) assert.isNotNull(value, name)
      const change = { Id: String(converted?.Id), Title: "Countess" }
      assert.strictEqual(yield* refusal(() => lead.update(change)), "CANNOT_UPDATE_CONVERTED_LEAD")
    }))

  test("goes on with a new token when the old one is not good", ({ refreshToken, url }) =>
    Effect.gen(function* () {
      const connection = new jsforce.Connection({
        instanceUrl: url,
        accessToken: "acme.ended",
        refreshToken,
        oauth2: { loginUrl: url, clientId: "app", clientSecret: "secret" },
        version: "66.0"
      })
      const refreshed: Array<string> = []
      connection.on("refresh", (token: string) => refreshed.push(token))
      assert.strictEqual((yield* call(() => connection.query("SELECT Id FROM Lead LIMIT 1"))).records.length, 1)
      assert.strictEqual(refreshed.length, 1)
      assert.notStrictEqual(refreshed[0], "acme.ended")

      const revoked = new jsforce.Connection({
        instanceUrl: url,
        accessToken: "acme.ended",
        refreshToken: "acme.nothing",
        oauth2: { loginUrl: url, clientId: "app", clientSecret: "secret" }
      })
      const error = yield* Effect.flip(call(() => revoked.query("SELECT Id FROM Lead LIMIT 1")))
      assert.match(String(error.error), /invalid_grant|expired/)
    }))
})
