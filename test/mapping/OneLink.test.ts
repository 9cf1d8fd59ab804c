import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { Note } from "../../src/canonical/crm/Note.ts"
import { compile } from "../../src/mapping/Compile.ts"
import type { Body, Mode } from "../../src/mapping/Encode.ts"
import { getPath, type Native } from "../../src/mapping/Mapping.ts"
import { type OneLink, oneLink } from "../../src/mapping/OneLink.ts"
import { plainMapping } from "../../src/mapping/PlainMapping.ts"
import { text } from "../../src/mapping/Transform.ts"
import { allBut } from "../support/NotHeld.ts"

// A note of `{on: {kind, id}}`; of a note on an opportunity, the account is that of the opportunity.

type Field = "account" | "contact" | "opportunity"

const kindOf = (record: Native) => getPath(record, "on.kind")
const idOf = (record: Native) => String(getPath(record, "on.id"))

const link: OneLink<Field> = {
  fields: ["account", "contact", "opportunity"],
  noun: "a note",
  native: ["on", "accountOfOpportunity"],
  idIn: (record, field) => (kindOf(record) === field ? idOf(record) : null),
  shows: (record, field) =>
    kindOf(record) === field ? idOf(record) : field === "account" ? record.accountOfOpportunity : null,
  write: (to, { set }) => set("on", to === null ? null : { kind: to.field, id: to.id })
}

const noteWith = (changed: Partial<OneLink<Field>> = {}) =>
  compile(
    "acme",
    Note,
    plainMapping(Note, (of) => [
      of.variant({
        nativeType: "notes",
        entries: [
          of.readField("remote_id", "id", text),
          of.field("content", "text", text),
          ...oneLink(of, { ...link, ...changed })
        ],
        notHeld: allBut(Note, "remote_id", "content", "account", "contact", "opportunity")
      })
    ])
  ).variant("notes")

const onOpportunity = { id: "1", on: { kind: "opportunity", id: "O1" }, accountOfOpportunity: "A1" }

/** The link that a body writes, and the warnings: `field code`. */
const write = (body: Body, mode: Mode = "create", record?: Native, changed?: Partial<OneLink<Field>>) => {
  const variant = noteWith(changed)
  const context = { reference: () => "", line: () => "" }
  return Either.map(
    variant?.encode(body, mode, {
      resolve: () => undefined,
      lookups: {},
      current: record === undefined ? undefined : { record },
      currentRecord: record === undefined ? undefined : variant.decode({ record }, context),
      handling: "lenient",
      today: "2026-03-02"
    }) ?? Either.left({ "": "no variant" }),
    ({ record, warnings }) => ({ record, said: warnings.map(({ code, field }) => `${field} ${code}`) })
  )
}

/** A write plan, and what is said of it. */
const plan = (record: Native, ...said: Array<string>) => Either.right({ record, said })

const on = (kind: Field, id: string) => ({ on: { kind, id } })

describe("a link to one record of several kinds", () => {
  it("holds the most specific of those given, and says which are left out", () => {
    assert.deepStrictEqual(write({ account: "A2", contact: "C2" }), plan(on("contact", "C2"), "account NOT_HELD"))
    assert.deepStrictEqual(
      write({ account: "A2", opportunity: "O2", contact: "C2" }),
      plan(on("opportunity", "O2"), "contact NOT_HELD", "account NOT_HELD")
    )
    assert.deepStrictEqual(write({ account: "A2" }), plan(on("account", "A2")))
  })

  it("put in the place of another says that the other goes", () => {
    assert.deepStrictEqual(
      write({ account: "A2" }, "patch", onOpportunity),
      plan(on("account", "A2"), "opportunity CHANGED")
    )
    // a full body means it
    assert.deepStrictEqual(
      write({ account: "A2" }, "replace", onOpportunity),
      plan({ text: null, ...on("account", "A2") })
    )
    assert.deepStrictEqual(
      write({ account: "A2", opportunity: null }, "patch", onOpportunity),
      plan(on("account", "A2"))
    )
  })

  it("stays where nothing is changed, and goes when it is cleared", () => {
    assert.deepStrictEqual(write({ account: "A1" }, "patch", onOpportunity), plan({}))
    assert.deepStrictEqual(write({ content: "new", opportunity: "O1" }, "patch", onOpportunity), plan({ text: "new" }))
    assert.deepStrictEqual(write({ opportunity: null }, "patch", onOpportunity), plan({ on: null }))
    assert.deepStrictEqual(write({ content: "new" }, "replace", onOpportunity), plan({ text: "new", on: null }))
    assert.deepStrictEqual(write({ contact: null }, "patch", onOpportunity), plan({}))
  })

  it("keeps what follows from it: cleared alone, that is no change", () => {
    assert.deepStrictEqual(
      write({ account: null }, "patch", onOpportunity),
      Either.left({ account: "follows another link, and goes with that alone" })
    )
  })

  it("that is fixed says so, where a body has another", () => {
    const fixed = { isFixed: true } as const
    assert.deepStrictEqual(
      write({ content: "new", contact: "C2", opportunity: "O2" }, "patch", onOpportunity, fixed),
      plan({ text: "new" }, "opportunity CHANGED", "contact NOT_HELD")
    )
    assert.deepStrictEqual(write({ contact: "C2" }, "create", undefined, fixed), plan(on("contact", "C2")))
  })
})
