import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { type Doc, empty, open } from "../../../src/providers/simulation/Account.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { client, type Simulator } from "../../../src/providers/simulation/Simulator.ts"
import { refused } from "../../../src/providers/simulation/table/Complaint.ts"
import { draft, type Kind, kept, may, must, set, worked, write } from "../../../src/providers/simulation/table/Kind.ts"
import { numberedPages, sortedBySigns } from "../../../src/providers/simulation/table/Pages.ts"
import { equal } from "../../../src/providers/simulation/table/Query.ts"
import { routesOf, type Style } from "../../../src/providers/simulation/table/Routes.ts"
import { number, link, text } from "../../../src/providers/simulation/table/Value.ts"

const name = text("text", { filled: true, most: 20 })

const shelf: Kind = {
  name: "shelves",
  fields: [
    set("id", "ID", number("int")),
    must("name", "Name", name),
    may("above", "Shelf above", link("shelf", "shelves", "number")),
    kept("width", "Width", number("int", { least: 1, whole: true }), 60),
    worked("area", "Area", number("int"), (_account, { width }) => Number(width) * 30)
  ],
  bags: { extra: [may("colour", "Colour", text("text"))] },
  // a shelf without a name has that of its width
  rules: [({ after }) => Either.right({ ...after, name: after.name ?? `${String(after.width)} cm` })],
  stamps: ({ now }) => ({ changed: now }),
  sorts: ["id", "width", "name"],
  filters: [equal("width")]
}

const style: Style = {
  route: (method, path, _verb, handle) => [
    { method, path, handle: (request, account) => Either.merge(handle(request, account)) }
  ],
  update: "PATCH",
  id: /^\d+$/,
  pages: numberedPages({
    page: "page",
    size: "size",
    usual: 2,
    most: 3,
    sorting: sortedBySigns("sort"),
    place: (page, size, total) => ({ pages: Math.ceil(total / size), page })
  }),
  refuse: (problems) => ({ status: 400, body: problems.map(({ complaint, path }) => [path, complaint.is]) }),
  missing: (kind) => ({ status: 404, body: kind }),
  one: (record) => ({ status: 200, body: record }),
  many: (records, place) => ({ status: 200, body: { ids: records.map(({ id }) => id), ...place } })
}

const shelves = (kinds: ReadonlyArray<Kind>): Simulator => ({
  slug: "shelves",
  kinds,
  routes: kinds.flatMap((kind) => routesOf(style, kind)),
  tokenOf: () => undefined,
  sample: () => empty,
  failures: {
    unauthorized: { status: 401 },
    notFound: () => ({ status: 404 }),
    methodNotAllowed: () => ({ status: 405 }),
    rateLimited: () => ({ status: 429 }),
    broken: (status) => ({ status })
  }
})

/** Requests to an account of its own. */
const opened = () => {
  const { account } = open("test", empty, 0, new Map())
  const send = (method: string, path: string, body?: unknown) => {
    const { pathname, search } = new URL(path, "http://shelves")
    const [, id] = /^\/shelves\/(.+)$/.exec(pathname) ?? []
    const route = routesOf(style, shelf).find(
      (one) => one.method === method && one.path.includes(":") === (id !== undefined)
    )
    const request = { method, path, query: new URLSearchParams(search), headers: {}, bytes: new Uint8Array() }
    return route?.handle(
      { ...request, params: id === undefined ? {} : { id }, text: JSON.stringify(body ?? {}) },
      account,
      []
    )
  }
  return { account, send }
}

describe("simulators as tables", () => {
  it.effect("a kind without an id and a link to a kind that is not there are refused by name", () =>
    Effect.gen(function* () {
      const made = (kinds: ReadonlyArray<Kind>) => Effect.sandbox(client(shelves(kinds)))
      yield* made([shelf])
      const box = { ...shelf, name: "boxes", fields: [may("shelf", "Shelf", link("shelf", "racks"))] }
      const cause = yield* Effect.flip(made([shelf, box]))
      const message = String(cause)
      assert.include(message, "the simulator of shelves: boxes has no field 'id'")
      assert.include(message, "'shelf' of boxes links to 'racks', which is no kind of the simulator")
    }).pipe(Effect.provide([SimulationStore.layerMemory, Faults.layer]))
  )

  it("every problem of a body is named; a rule fills in what is required", () => {
    const { account, send } = opened()
    const wrong = { name: " ", above: 9, width: 1.5, area: 1, extra: { colour: 3, size: 1 } }
    assert.deepStrictEqual(send("POST", "/shelves", wrong)?.body, [
      ["name", "empty"],
      ["above", "absent"],
      ["width", "type"],
      ["area", "not allowed"],
      ["extra.colour", "type"],
      ["extra.size", "not allowed"]
    ])
    assert.deepStrictEqual(send("POST", "/shelves", { width: 80 })?.body, {
      id: 1,
      name: "80 cm",
      above: null,
      width: 80,
      area: 2400
    })
    const { rules: _rules, ...unruled } = shelf
    assert.deepStrictEqual(write(account, unruled, {}), Either.left([{ path: "name", complaint: { is: "required" } }]))
    assert.deepStrictEqual(send("PATCH", "/shelves/1", { width: null })?.body, [["width", "type"]])
  })

  it("a text that another record has is taken; checks see only what is whole and free", () => {
    const { account } = opened()
    const seen: Array<unknown> = []
    const labelled: Kind = {
      ...shelf,
      fields: [
        set("id", "ID", number("int")),
        must("name", "Name", name),
        { ...may("label", "Label", text("label", { shape: /^[a-z]+$/i })), isUnique: true }
      ],
      rules: [],
      checks: [
        ({ after }) => (seen.push(after.label), after.label === "bad" ? refused("no", "label") : Either.right(after))
      ],
      isGone: ({ label }) => label === "gone"
    }
    const given = (body: Doc, before?: Doc) => Either.flip(write(account, labelled, body, before))
    const first = Either.getOrThrow(write(account, labelled, { name: "a", label: "Red" }))
    assert.deepStrictEqual(given({ label: "RED" }), Either.right([{ path: "name", complaint: { is: "required" } }]))
    assert.deepStrictEqual(
      given({ name: "b", label: "RED" }),
      Either.right([{ path: "label", complaint: { is: "taken", by: first }, given: "RED" }])
    )
    assert.deepStrictEqual(
      given({ name: "b", label: "4" }),
      Either.right([{ path: "label", complaint: { is: "form", form: "label" }, given: "4" }])
    )
    assert.isTrue(Either.isRight(given({ name: "b", label: "bad" })))
    assert.isTrue(Either.isLeft(given({ label: "red" }, first)))
    assert.deepStrictEqual(seen, ["Red", "bad", "red"])
    assert.strictEqual(account.all("shelves").length, 1)
    for (const name of ["b", "c"]) assert.isTrue(Either.isLeft(given({ name, label: "gone" })))
    assert.strictEqual(account.all("shelves").length, 3)
    assert.isTrue(Either.isRight(draft(account, labelled, { name: "d" })))
    assert.strictEqual(account.all("shelves").length, 3)
  })

  it("null clears, a bag keeps what a body does not say, deleted records are gone", () => {
    const { account, send } = opened()
    send("POST", "/shelves", { name: "a", extra: { colour: "red" } })
    send("POST", "/shelves", { name: "b", above: 1 })
    send("PATCH", "/shelves/2", { above: null })
    send("PATCH", "/shelves/1", { width: 70, extra: {} })
    assert.isNull(account.get("shelves", "2")?.above)
    assert.deepInclude(account.get("shelves", "1"), { width: 70, extra: { colour: "red" } })
    assert.strictEqual(send("DELETE", "/shelves/1")?.status, 200)
    assert.deepStrictEqual(send("GET", "/shelves/1"), { status: 404, body: "shelves" })
    assert.deepStrictEqual(send("PATCH", "/shelves/x"), { status: 404, body: "shelves" })
  })

  it("lists are filtered, sorted and cut; a parameter that nothing knows is refused", () => {
    const { send } = opened()
    for (const [name, width] of [
      ["c", 60],
      ["a", 90],
      ["b", 60]
    ] as const)
      send("POST", "/shelves", { name, width })
    const ids = (path: string) => send("GET", path)?.body
    assert.deepStrictEqual(ids("/shelves"), { ids: [1, 2], pages: 2, page: 1 })
    assert.deepStrictEqual(ids("/shelves?page=2"), { ids: [3], pages: 2, page: 2 })
    assert.deepStrictEqual(ids("/shelves?sort=-width,name&size=3"), { ids: [2, 3, 1], pages: 1, page: 1 })
    assert.deepStrictEqual(ids("/shelves?width=60&sort=-id"), { ids: [3, 1], pages: 1, page: 1 })
    assert.deepStrictEqual(ids("/shelves?colour=red&page=1"), [["colour", "not allowed"]])
    assert.deepStrictEqual(ids("/shelves?size=4"), [["size", "most"]])
    assert.deepStrictEqual(ids("/shelves?sort=area"), [["sort", "choice"]])
  })
})
