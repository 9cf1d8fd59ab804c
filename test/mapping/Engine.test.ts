import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { boolean, list, literal, number, readOnly, resource, text, type Shape } from "../../src/canonical/Resource.ts"
import { compile, type Override } from "../../src/mapping/Compile.ts"
import type { Body, Mode } from "../../src/mapping/Encode.ts"
import { variantsOf } from "../../src/mapping/Entries.ts"
import type { Mapping, Native } from "../../src/mapping/Mapping.ts"
import { streetLines } from "../../src/mapping/StreetLines.ts"
import * as Transform from "../../src/mapping/Transform.ts"
import { allBut } from "../support/NotHeld.ts"

// A resource of its own, so that what the engine does is seen without any provider's quirks.

const Phone = {
  name: "Phone",
  description: "phone",
  fields: { number: text("number"), kind: text("label"), note: text("nobody holds it") }
} satisfies Shape

const Line = {
  name: "Line",
  description: "line",
  fields: {
    id: readOnly(text("service id")),
    remote_id: readOnly(text("provider's id")),
    description: text("words"),
    amount: number("amount"),
    fixed: boolean("always false here")
  }
} satisfies Shape

const Thing = resource({
  category: "crm",
  name: "thing",
  filters: {},
  class: "writable",
  description: "a thing",
  fields: {
    name: text("name"),
    first: text("first name"),
    last: text("last name"),
    street_1: text("street"),
    street_2: text("more of it"),
    size: number("size"),
    state: literal("state", "ON", "OFF"),
    origin: text("constant"),
    remark: text("not mapped"),
    phones: list("phones", Phone),
    lines: list("lines", Line)
  }
})

const mapping: Mapping = {
  blank: null,
  root: "",
  dialect: { text: Transform.text, raw: Transform.raw, number: Transform.number },
  ...variantsOf(Thing, (of) => [
    of.variant({
      nativeType: "things",
      entries: [
        of.readField("remote_id", "id", Transform.text),
        of.field("name", "title.text", Transform.text),
        of.group({
          canonical: ["first", "last"],
          native: ["full"],
          decode: ([full]) => (typeof full === "string" ? full.split(" ") : [null, null]),
          encode: ([first, last]) => [first === null && last === null ? null : `${String(first)} ${String(last)}`]
        }),
        streetLines(of, "street"),
        of.field("size", "size", Transform.numericString),
        of.field("state", "on", Transform.enumeration("state", { true: "ON", false: "OFF" })),
        of.constant("origin", "here"),
        of.labelled("phones", "kind", "number", { WORK: "phone", HOME: "home" }, Transform.text),
        of.lines("lines", {
          native: "rows",
          id: "key",
          forms: (of) => [
            {
              where: { type: "sale" },
              entries: [
                of.field("description", "words", Transform.text),
                of.field("amount", "sum", Transform.number),
                of.constant("fixed", false)
              ]
            }
          ]
        })
      ],
      notHeld: {
        remark: "No thing has remarks.",
        remote_created_at: "Things do not state when they were made.",
        remote_updated_at: "Things do not state when they changed.",
        remote_was_deleted: "Things that are deleted are gone."
      }
    })
  ])
}

const context = { reference: () => "", line: (path: string, id: string) => `${path}#${id}` }

const engine = (overrides: ReadonlyArray<Override> = []) => {
  const compiled = compile("acme", Thing, mapping, overrides)
  const variant = compiled.variant("things")
  if (variant === undefined) throw new Error("no variant")
  return {
    rows: compiled.rows,
    variant,
    decode: (record: Native) => variant.decode({ record }, context),
    encode: (body: Body, mode: Mode = "create", current?: Native) =>
      variant.encode(body, mode, {
        resolve: () => undefined,
        lookups: {},
        current: current === undefined ? undefined : { record: current },
        handling: "strict" as const,
        today: "2026-03-02",
        currentRecord: current === undefined ? undefined : variant.decode({ record: current }, context)
      })
  }
}

const { decode, encode, rows, variant } = engine()

const written = (...input: Parameters<typeof encode>) =>
  Either.getOrThrowWith(encode(...input), (refused) => new Error(JSON.stringify(refused))).record

const refused = (...input: Parameters<typeof encode>) =>
  Either.match(encode(...input), { onLeft: Object.keys, onRight: () => [] as ReadonlyArray<string> })

describe("reading", () => {
  it("gives every field, with null or an empty list where the provider has none", () => {
    assert.deepInclude(decode({ id: 7 }), {
      remote_id: "7",
      name: null,
      first: null,
      phones: [],
      lines: [],
      remark: null
    })
    assert.notProperty(decode({}), "integration_params")
  })

  it("does not share lists between records", () => {
    const [one, other] = [decode({ phone: "1" }), decode({})]
    assert.notStrictEqual(one.phones, other.phones)
    assert.deepStrictEqual(other.phones, [])
  })

  it("leaves out lines that have no canonical form", () => {
    const rows = [{ type: "sale", key: 1, sum: 2 }, { type: "total", sum: 2 }, "no line", null]
    assert.deepStrictEqual(decode({ id: "9", rows }).lines, [
      { id: "crm/thing/things/9#1", remote_id: "1", description: null, amount: 2, fixed: false }
    ])
  })

  it("times are in UTC, whatever zone this runs in, and other text is no time", () => {
    const zone = process.env.TZ
    process.env.TZ = "Asia/Kolkata"
    try {
      assert.deepStrictEqual(
        [
          "2026-01-31T09:30:00+0530",
          "2026-01-31 04:00:00",
          "2026-01-31T04:00Z",
          1_769_832_000_000,
          "1769832000000",
          "2026-01-31",
          "Flat 5",
          "31/01/2026",
          "",
          null
        ].map((native) => Transform.dateTime.decode(native, context)),
        [
          ...Array.from({ length: 5 }, () => "2026-01-31T04:00:00.000Z"),
          "2026-01-31T00:00:00.000Z",
          null,
          null,
          null,
          null
        ]
      )
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
  })

  it.prop("never fails, whatever the provider sends", [fc.object({ maxDepth: 3 })], ([record]) => {
    const junk = { ...record, title: record, rows: [record], street: record, on: record, size: record }
    assert.isObject(decode(junk))
  })
})

describe("slots", () => {
  it("put entries where their label says, and the unlabelled into what is free, in order", () => {
    const phones = [{ number: "1" }, { number: "2", kind: "WORK" }]
    assert.deepStrictEqual(written({ phones }), { home: "1", phone: "2" })
    assert.deepStrictEqual(written({ phones: [{ number: "1" }, { number: "2" }] }), { phone: "1", home: "2" })
  })

  it("refuse what has no place, by its path", () => {
    assert.deepStrictEqual(refused({ phones: [{ number: "1", kind: "FAX" }] }), ["phones.0"])
    assert.deepStrictEqual(
      refused({
        phones: [
          { number: "1", kind: "WORK" },
          { number: "2", kind: "WORK" }
        ]
      }),
      ["phones.1.kind"]
    )
    assert.deepStrictEqual(refused({ phones: [{ number: "1" }, { number: "2" }, { number: "3" }] }), ["phones.2"])
    assert.deepStrictEqual(refused({ phones: [{ number: "1", note: "x" }] }), ["phones.0.note"])
  })

  it("are refused, not cleared, where no entry of a list can be held", () => {
    const leniently = (phones: ReadonlyArray<Body>, mode: Mode) =>
      variant.encode({ phones }, mode, {
        resolve: () => undefined,
        lookups: {},
        current: undefined,
        handling: "lenient",
        today: "2026-03-02",
        currentRecord: undefined
      })
    for (const mode of ["patch", "replace"] as const) {
      for (const entry of [{ number: "1", kind: "FAX" }, { number: "" }, { kind: "WORK" }, {}]) {
        const refusal = Either.match(leniently([entry], mode), { onLeft: Object.keys, onRight: () => [] })
        assert.deepStrictEqual(refusal, ["phones.0"], JSON.stringify([mode, entry]))
      }
    }
    const partly = Either.getOrThrow(leniently([{ number: "1", kind: "FAX" }, { number: "2" }], "patch"))
    assert.deepStrictEqual(partly.record, { phone: "2", home: null })
    assert.deepStrictEqual(
      partly.warnings.map(({ code, field }) => `${field} ${code}`),
      ["phones.0 NOT_HELD"]
    )
    assert.isTrue(Either.isRight(leniently([{ number: "1", kind: "FAX" }], "create")))
  })

  it("clear the places that a list no longer fills", () => {
    assert.deepStrictEqual(written({ phones: [{ number: "1", kind: "HOME" }] }, "patch"), { phone: null, home: "1" })
    assert.deepStrictEqual(written({ phones: [] }, "patch"), { phone: null, home: null })
    assert.deepStrictEqual(written({ phones: null }, "patch"), { phone: null, home: null })
    assert.deepStrictEqual(written({}, "patch"), {})
  })
})

describe("lines", () => {
  const held = {
    rows: [
      { type: "head", sum: 0 },
      { type: "sale", key: 1, sum: 1, words: "a", secret: "kept" },
      { type: "note", words: "foreign" },
      { type: "sale", key: 2, sum: 2, words: "b" },
      { type: "total", sum: 3 }
    ]
  }

  it("keep foreign lines where they stand among the others", () => {
    const native = (body: Body) => written(body, "patch", held).rows
    const b = { remote_id: "2", amount: 5 }
    const added = { description: "new", amount: 9 }
    assert.deepStrictEqual(native({ lines: [{ remote_id: "1" }, b, added] }), [
      { type: "head", sum: 0 },
      { type: "sale", key: 1, sum: 1, words: "a", secret: "kept" },
      { type: "note", words: "foreign" },
      { type: "sale", key: 2, sum: 5, words: "b" },
      { type: "sale", sum: 9, words: "new" },
      { type: "total", sum: 3 }
    ])
    assert.deepStrictEqual(native({ lines: [] }), [
      { type: "head", sum: 0 },
      { type: "note", words: "foreign" },
      { type: "total", sum: 3 }
    ])
  })

  it("clear in a kept line what a PUT leaves out, and leave it in a PATCH", () => {
    const body = { lines: [{ remote_id: "1", amount: 4 }] }
    const line = (mode: Mode) => (written(body, mode, held).rows as ReadonlyArray<Native>)[1]
    assert.deepStrictEqual(line("patch"), { type: "sale", key: 1, sum: 4, words: "a", secret: "kept" })
    assert.deepStrictEqual(line("replace"), { type: "sale", key: 1, sum: 4, words: null, secret: "kept" })
  })

  it("refuse a line the record does not have, and a constant that says otherwise", () => {
    assert.deepStrictEqual(refused({ lines: [{ remote_id: "3" }] }, "patch", held), ["lines.0.remote_id"])
    assert.deepStrictEqual(refused({ lines: [{ amount: 1 }, { fixed: true }] }), ["lines.1.fixed"])
    assert.deepStrictEqual(refused({ lines: [{ fixed: false }] }), [])
  })

  it("do not change the record they were read from", () => {
    const before = structuredClone(held)
    written({ lines: [{ remote_id: "1", amount: 100 }] }, "replace", held)
    assert.deepStrictEqual(held, before)
  })
})

describe("groups, constants and what is not mapped", () => {
  it("a patch of one part of a group takes the other from the record", () => {
    const current = { full: "Ada Lovelace" }
    assert.isTrue(variant.needs({ last: "Byron" }, "patch").current)
    assert.isFalse(variant.needs({ first: "Augusta", last: "Byron" }, "patch").current)
    assert.deepStrictEqual(written({ last: "Byron" }, "patch", current), { full: "Ada Byron" })
    assert.deepStrictEqual(written({ street_2: "Yard" }, "patch", { street: "1 Mill Lane\nOld" }), {
      street: "1 Mill Lane\nYard"
    })
  })

  it("a constant may be repeated, not contradicted", () => {
    assert.deepStrictEqual(written({ origin: "here" }), {})
    assert.deepStrictEqual(refused({ origin: "there" }), ["origin"])
  })

  it("a field nobody writes is refused unless it says what the record holds", () => {
    assert.deepStrictEqual(refused({ remark: "x" }), ["remark"])
    assert.deepStrictEqual(refused({ remark: null }), [])
  })

  it("a value outside a table is refused with those inside", () => {
    const answer = encode({ state: "HALF" })
    assert.deepStrictEqual(answer, Either.left({ state: "must be one of ON, OFF here" }))
  })

  it("replace clears what is left out, create says nothing of it", () => {
    assert.deepStrictEqual(written({ name: "x" }), { title: { text: "x" } })
    assert.deepStrictEqual(written({ name: "x", size: null }, "patch"), { title: { text: "x" }, size: null })
    const cleared = written({ name: "x" }, "replace", { rows: [] })
    assert.deepStrictEqual(cleared, {
      title: { text: "x" },
      full: null,
      street: null,
      size: null,
      on: null,
      phone: null,
      home: null,
      rows: []
    })
  })

  it("integration_params are laid over what was built, and go under the root where there is one", () => {
    const params = { title: { lang: "en" }, size: "9", extra: [1] }
    assert.deepStrictEqual(written({ name: "x", size: 1, integration_params: params }), {
      title: { text: "x", lang: "en" },
      size: "9",
      extra: [1]
    })
    const rooted = compile("acme", Thing, { ...mapping, root: "properties" }).variant("things")
    const input = {
      resolve: () => undefined,
      lookups: {},
      current: undefined,
      handling: "strict" as const,
      today: "2026-03-02",
      currentRecord: undefined
    }
    const answer = rooted?.encode({ integration_params: { a: 1 } }, "create", input)
    assert.deepStrictEqual(answer?.pipe(Either.map(({ record }) => record)), Either.right({ properties: { a: 1 } }))
  })
})

describe("overrides", () => {
  const of = (given: Partial<Override>): Override => ({
    field: "name",
    nativeField: "label",
    transform: undefined,
    nativeType: undefined,
    ...given
  })

  it("replace an entry in both directions, and are listed in its place", () => {
    const own = engine([of({})])
    assert.strictEqual(own.decode({ label: "mine", title: { text: "theirs" } }).name, "mine")
    assert.deepStrictEqual(
      Either.map(own.encode({ name: "x" }), ({ record }) => record),
      Either.right({ label: "x" })
    )
    assert.deepStrictEqual(
      own.rows.filter((row) => row.field === "name").map((row) => [row.native_field, row.source]),
      [["label", "override"]]
    )
    assert.include(own.variant.reads, "label")
    assert.notInclude(own.variant.reads, "title.text")
    assert.deepStrictEqual(
      rows.filter((row) => row.source !== "default"),
      []
    )
  })

  it("add fields of the organisation's own under custom_fields", () => {
    const own = engine([of({ field: "shoe_size", nativeField: "a.b", transform: "numericString" })])
    assert.deepStrictEqual(own.decode({ a: { b: "42" } }).custom_fields, { shoe_size: 42 })
    const body = { custom_fields: { shoe_size: 43 } }
    for (const mode of ["create", "patch"] satisfies ReadonlyArray<Mode>) {
      assert.deepStrictEqual(
        Either.map(own.encode(body, mode), ({ record }) => record),
        Either.right({ a: { b: "43" } })
      )
    }
    assert.deepStrictEqual(refused({ custom_fields: { shoe_size: 1 } }), ["custom_fields.shoe_size"])
    assert.deepStrictEqual(
      Either.map(own.encode({ name: "x" }, "patch"), ({ record }) => record),
      Either.right({ title: { text: "x" } })
    )
  })

  it("for another native type change nothing", () => {
    const own = engine([of({ nativeType: "others" })])
    assert.deepStrictEqual(own.variant.reads, variant.reads)
    assert.isTrue(own.rows.every(({ source }) => source === "default"))
  })

  it("may lead to an entry of a list, of which the others stay", () => {
    const crew = engine([of({ field: "crew", nativeField: "own[no=1].text" })])
    const held = {
      own: [
        { no: "2", text: "b" },
        { no: 1, text: "a", kind: "x" }
      ]
    }
    const record = (body: Body, current: Native) =>
      Either.map(crew.encode(body, "patch", current), (encoded) => encoded.record)
    assert.deepStrictEqual(crew.decode(held).custom_fields, { crew: "a" })
    assert.deepStrictEqual(crew.decode({ own: "no list" }).custom_fields, { crew: null })
    assert.isTrue(crew.variant.needs({ custom_fields: { crew: "c" } }, "patch").current)
    assert.deepStrictEqual(
      record({ custom_fields: { crew: "c" } }, held),
      Either.right({
        own: [
          { no: "2", text: "b" },
          { no: 1, text: "c", kind: "x" }
        ]
      })
    )
    assert.deepStrictEqual(
      record({ custom_fields: { crew: "c" } }, { own: [{ no: "2", text: "b" }] }),
      Either.right({
        own: [
          { no: "2", text: "b" },
          { no: "1", text: "c" }
        ]
      })
    )
    assert.deepStrictEqual(
      record({ custom_fields: { crew: null } }, held),
      Either.right({
        own: [
          { no: "2", text: "b" },
          { no: 1, text: null, kind: "x" }
        ]
      })
    )
    assert.deepStrictEqual(record({ custom_fields: { crew: null } }, {}), Either.right({}), "there is nothing to clear")
    assert.deepStrictEqual(held.own[1], { no: 1, text: "a", kind: "x" }, "the record that was read is left alone")
  })

  it("that are only read take back what was read, and refuse the rest by their native field", () => {
    const own = engine([of({ field: "source", nativeField: "origin", access: "read" })])
    const current = { origin: "web" }
    const saying = (source: unknown) => own.encode({ custom_fields: { source } }, "replace", current)
    assert.isTrue(Either.isRight(saying("web")))
    assert.isTrue(Either.isRight(saying(null)))
    assert.include(
      Either.match(saying("shop"), { onLeft: (errors) => errors["custom_fields.source"], onRight: () => undefined }),
      "origin"
    )
  })

  it("may have a table of values, of which the first of one meaning is written", () => {
    const values = { b: "TWO", c: "TWO", a: "ONE" }
    const own = engine([of({ transform: "values", values })])
    assert.deepStrictEqual(
      ["a", "b", "c", "d"].map((label) => own.decode({ label }).name),
      ["ONE", "TWO", "TWO", null]
    )
    assert.deepStrictEqual(
      Either.map(own.encode({ name: "TWO" }), ({ record }) => record),
      Either.right({ label: "b" })
    )
    const numbers = engine([of({ transform: "numericValues", values: { "7": "SEVEN" } })])
    assert.strictEqual(numbers.decode({ label: 7 }).name, "SEVEN")
    assert.deepStrictEqual(
      Either.map(numbers.encode({ name: "SEVEN" }), ({ record }) => record),
      Either.right({ label: 7 })
    )
    assert.deepStrictEqual(
      numbers.encode({ name: "EIGHT" }),
      Either.left({ name: "must be one of SEVEN here (an override in /field-mappings has it in label)" })
    )
  })
})

describe("there and back", () => {
  const word = fc.stringMatching(/^[A-Za-z0-9✓é]{1,12}$/)
  const optional = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: null })
  const bodies = fc.record({
    name: optional(word),
    first: word,
    last: word,
    street_1: word,
    street_2: optional(word),
    size: optional(
      fc.oneof(
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0)
      )
    ),
    state: optional(fc.constantFrom("ON", "OFF")),
    phones: fc.constantFrom(
      [],
      [{ number: "1", kind: "WORK", note: null }],
      [{ number: "2", kind: "HOME", note: null }]
    ),
    lines: fc.array(fc.record({ description: optional(word), amount: optional(fc.integer()) }))
  })

  it.prop(
    "what is written reads as it was sent",
    [bodies, fc.constantFrom<Mode>("create", "replace")],
    ([body, mode]) => {
      const read = decode(written(body, mode, mode === "create" ? undefined : {}))
      for (const [name, value] of Object.entries(body)) {
        if (name === "lines") {
          const lines = (read.lines as ReadonlyArray<Native>).map(({ amount, description }) => ({
            description,
            amount
          }))
          assert.deepStrictEqual(lines, body.lines)
        } else assert.deepStrictEqual(read[name], value, name)
      }
    }
  )

  it.prop(
    "a patch changes what it names and nothing else",
    [bodies, bodies, fc.subarray(["name", "size", "state", "phones", "last"])],
    ([before, other, names]) => {
      const held = written(before, "replace", {})
      const patch = Object.fromEntries(Object.entries(other).filter(([name]) => names.includes(name)))
      const after = decode({ ...held, ...written(patch, "patch", held) })
      const expected = { ...decode(held), ...patch }
      for (const name of ["name", "first", "last", "size", "state", "phones", "lines", "street_1"]) {
        assert.deepStrictEqual(after[name], expected[name], name)
      }
    }
  )
})

describe("a computed entry", () => {
  it("that reads more than it declares would go unfed, so a mapping asks for what it declares", () => {
    const variants = variantsOf(Thing, (of) => [
      of.variant({
        nativeType: "t",
        entries: [
          of.readField("remote_id", "id", Transform.text),
          of.computed({ canonical: "name", native: ["a.b", "c"], decode: ({ record }) => record.c }),
          of.field("size", "size", Transform.number, "write")
        ],
        notHeld: allBut(Thing, "remote_id", "name", "size")
      })
    ])
    const own = compile("acme", Thing, { ...mapping, ...variants })
    assert.deepStrictEqual(own.variant("t")?.reads, ["id", "a.b", "c"])
  })
})
