import { FileSystem } from "@effect/platform"
import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as Zoho from "@zohocrm/nodejs-sdk-8.0"
import { Effect } from "effect"
import { simulator } from "../../../src/providers/zohocrm/simulator/ZohoCrmSimulator.ts"
import { onPort } from "../../support/OnPort.ts"

// Zoho's own client library against the simulator: what it completes here, it completes against Zoho CRM.

const run = <A>(promise: () => Promise<A>) => Effect.promise(promise)

/** The library with a refresh token of an account of its own; its token, log and field files go to a folder that goes. */
const connected = Effect.gen(function* () {
  const { refreshToken, url } = yield* onPort(simulator)
  const folder = yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())
  const token = new Zoho.OAuthBuilder().clientId("app").clientSecret("secret").refreshToken(refreshToken).build()
  const builder = yield* run(() => new Zoho.InitializeBuilder())
  yield* run(() =>
    builder
      .environment(Zoho.DataCenter.setEnvironment(url, `${url}/oauth/v2/token`, url))
      .token(token)
      .store(new Zoho.FileStore(`${folder}/tokens.txt`))
      .SDKConfig(new Zoho.SDKConfigBuilder().autoRefreshFields(false).pickListValidation(false).build())
      .resourcePath(folder)
      .logger(new Zoho.LogBuilder().level(Zoho.Levels.INFO).filePath(`${folder}/sdk.log`).build())
      .initialize()
  )
  return token
}).pipe(Effect.provide(NodeFileSystem.layer))

type Values = { readonly [name: string]: unknown }

const bodyOf = (values: Values) => {
  const record = new Zoho.Record.Record()
  for (const [name, value] of Object.entries(values)) record.addKeyValue(name, value)
  const body = new Zoho.Record.BodyWrapper()
  body.setData([record])
  return body
}

/** The code and id of a write of one record. */
const resultOf = (answer: { getObject(): Zoho.ActionWrapper | null }) => {
  const [result] = answer.getObject()?.getData() ?? []
  return { code: result?.getCode().getValue(), id: BigInt(String(result?.getDetails().get("id") ?? 0)) }
}

const create = (module: string, values: Values) =>
  Effect.map(
    run(() => new Zoho.Record.RecordOperations(module).createRecords(bodyOf(values))),
    (answer) => {
      const { code, id } = resultOf(answer)
      assert.strictEqual(answer.getStatusCode(), 201)
      assert.strictEqual(code, "SUCCESS")
      return id
    }
  )

const plain = (value: unknown) => (value instanceof Zoho.Choice ? value.getValue() : value)

const idsOf = (module: string, field: string) =>
  Effect.gen(function* () {
    const found: Array<bigint> = []
    let token: string | null = null
    do {
      const params = new Zoho.ParameterMap()
      const next: string | null = token
      yield* run(() => params.add(Zoho.Record.GetRecordsParam.FIELDS, field))
      yield* run(() => params.add(Zoho.Record.GetRecordsParam.PER_PAGE, 150))
      if (next !== null) yield* run(() => params.add(Zoho.Record.GetRecordsParam.PAGE_TOKEN, next))
      const answer = yield* run(() => new Zoho.Record.RecordOperations(module).getRecords(params))
      const page = answer.getObject()
      found.push(...(page?.getData() ?? []).map((record) => record.getId()))
      token = page?.getInfo().getMoreRecords() === true ? page.getInfo().getNextPageToken() : null
    } while (token !== null)
    return found
  })

const link = (id: bigint) => {
  const record = new Zoho.Record.Record()
  record.setId(id)
  return record
}

const standard = new Zoho.Choice("Standard (Standard)")

const kinds: ReadonlyArray<{
  readonly module: string
  readonly made: Values
  readonly changed: Values
  readonly linked?: string
  readonly total: number
}> = [
  {
    module: "Accounts",
    made: { Account_Name: "Analytical Engines", Website: "https://engines.example", Employees: 12 },
    changed: { Employees: 13 },
    total: 260
  },
  {
    module: "Contacts",
    made: { Last_Name: "King", First_Name: "Ada", Email: "ada@engines.example", Mailing_City: "London" },
    changed: { First_Name: "Augusta Ada" },
    linked: "Account_Name",
    total: 260
  },
  {
    module: "Deals",
    made: { Deal_Name: "An engine", Pipeline: standard, Stage: new Zoho.Choice("Qualification"), Amount: 17_000.5 },
    changed: { Stage: new Zoho.Choice("Closed Won") },
    linked: "Account_Name",
    total: 260
  }
]

describe("Zoho's client library against the simulator", () => {
  it.scopedLive.each(kinds)("$module: create, read, update, list all, delete", (kind) =>
    Effect.gen(function* () {
      yield* connected
      const { changed, linked, made, module, total } = kind
      const operations = new Zoho.Record.RecordOperations(module)
      const account = linked === undefined ? undefined : yield* create("Accounts", { Account_Name: "Engines" })
      const id = yield* create(module, account === undefined ? made : { ...made, [String(linked)]: link(account) })

      const updated = yield* run(() => operations.updateRecord(id, bodyOf(changed)))
      assert.deepStrictEqual(resultOf(updated), { code: "SUCCESS", id })

      const read = yield* run(() => operations.getRecord(id))
      const [record] = read.getObject()?.getData() ?? []
      assert.strictEqual(record?.getId(), id)
      for (const [name, value] of Object.entries({ ...made, ...changed })) {
        assert.strictEqual(plain(record?.getKeyValue(name)), plain(value), name)
      }
      const parent = linked === undefined ? undefined : record?.getKeyValue(linked)
      assert.strictEqual(parent instanceof Zoho.Record.Record ? parent.getId() : undefined, account)

      const ids = yield* idsOf(module, Object.keys(made)[0] ?? "")
      assert.strictEqual(new Set(ids).size, ids.length)
      assert.strictEqual(ids.length, total + 1)
      assert.include(ids, id)

      assert.deepStrictEqual(resultOf(yield* run(() => operations.deleteRecord(id))), { code: "SUCCESS", id })
      assert.strictEqual((yield* run(() => operations.getRecord(id))).getStatusCode(), 204)
    })
  )

  it.scopedLive("Notes: create on a contact, read, update, list, delete", () =>
    Effect.gen(function* () {
      yield* connected
      const contact = yield* create("Contacts", { Last_Name: "King" })
      const operations = new Zoho.Notes.NotesOperations()
      const bodyOf = (...notes: Array<Zoho.Notes.Note>) => {
        const body = new Zoho.Notes.BodyWrapper()
        body.setData(notes)
        return body
      }
      const module = new Zoho.Modules.MinifiedModule()
      module.setAPIName("Contacts")
      const parent = new Zoho.Notes.ParentId()
      parent.setId(contact)
      yield* run(() => parent.setModule(module))
      const note = new Zoho.Notes.Note()
      note.setNoteTitle("Brass")
      note.setNoteContent("Cogs ⚙️ and wheels")
      yield* run(() => note.setParentId(parent))
      const { code, id } = resultOf(yield* run(() => operations.createNotes(bodyOf(note))))
      assert.strictEqual(code, "SUCCESS")

      const change = new Zoho.Notes.Note()
      change.setNoteTitle("Steel")
      assert.strictEqual(resultOf(yield* run(() => operations.updateNote(id, bodyOf(change)))).code, "SUCCESS")
      const [read] = (yield* run(() => operations.getNote(id))).getObject()?.getData() ?? []
      assert.deepStrictEqual(
        [read?.getNoteTitle(), read?.getNoteContent(), read?.getParentId().getId()],
        ["Steel", "Cogs ⚙️ and wheels", contact]
      )

      const ids: Array<bigint> = []
      for (const page of ["1", "2"]) {
        const params = new Zoho.ParameterMap()
        yield* run(() => params.add(Zoho.Notes.GetNotesParam.FIELDS, "Note_Title"))
        yield* run(() => params.add(Zoho.Notes.GetNotesParam.PAGE, page))
        const answer = yield* run(() => operations.getNotes(params))
        ids.push(...(answer.getObject()?.getData() ?? []).map((one) => one.getId()))
      }
      assert.strictEqual(new Set(ids).size, 261)
      assert.include(ids, id)

      assert.strictEqual(resultOf(yield* run(() => operations.deleteNote(id))).code, "SUCCESS")
      assert.strictEqual((yield* run(() => operations.getNote(id))).getStatusCode(), 204)
    })
  )

  it.scopedLive("is told of each record that is refused", () =>
    Effect.gen(function* () {
      yield* connected
      const operations = new Zoho.Record.RecordOperations("Contacts")
      const answer = yield* run(() => operations.createRecords(bodyOf({ Last_Name: "x".repeat(81) })))
      const [refused] = answer.getObject()?.getData() ?? []
      assert.strictEqual(answer.getStatusCode(), 400)
      assert.strictEqual(refused?.getCode().getValue(), "INVALID_DATA")
      assert.strictEqual(refused?.getDetails().get("api_name"), "Last_Name")
    })
  )
})
