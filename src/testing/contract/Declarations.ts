import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { compile } from "../../mapping/Compile.ts"
import { isNative } from "../../mapping/Mapping.ts"
import { pageOf } from "./Answers.ts"
import type { Suite } from "./Suite.ts"

/** A native record that notes the paths of what is read of it; lists and what is in them count as the list. */
const watched = (value: unknown, seen: Set<string>, path = ""): unknown => {
  if (!isNative(value)) return value
  return new Proxy(value, {
    get: (target, name) => {
      const found: unknown = Reflect.get(target, name)
      if (typeof name !== "string") return found
      const at = path === "" ? name : `${path}.${name}`
      if (!isNative(found)) seen.add(at)
      return watched(found, seen, at)
    }
  })
}

/** An adapter's declarations hold, and its mappings read what they declare. */
export const declarations: Suite = (it, { having, reader }) => {
  const rows = having("list").map((row) => [row.name, row] as const)

  it.effect.each(rows)("%s: a mapping reads what it declares, and nothing else", ([, row]) =>
    Effect.gen(function* () {
      const { call } = yield* reader
      const path = `${row.path}?provider=${row.provider}&limit=20&include_remote_data=true`
      const records = pageOf(yield* call("GET", path)).data.map(({ remote_data }) => remote_data)
      const compiled = compile(row.provider, row.resource, row.resourceAdapter.mapping)
      for (const variant of compiled.variants) {
        for (const remote of records) {
          const [seen, parts, lookups] = [new Set<string>(), new Set<string>(), new Set<string>()]
          const record = watched(remote, seen)
          if (!isNative(record)) throw new Error("no native record")
          const bundle = { record, parts: noting(parts), lookups: noting(lookups) }
          variant.decode(bundle, { reference: () => "", line: () => "" })
          const isDeclared = (read: string) =>
            variant.reads.some((one) => read === one || read.startsWith(`${one}.`) || one.startsWith(`${read}.`))
          assert.deepStrictEqual(
            [...seen].filter((read) => !isDeclared(read)),
            []
          )
          assert.includeMembers([...variant.parts], [...parts])
          assert.includeMembers([...variant.lookups], [...lookups])
        }
      }
    })
  )

  it.effect.each(rows)("%s: fields, operations and lookups exist", ([, row]) =>
    Effect.sync(() => {
      const { mapping } = row.resourceAdapter
      const { rows: fields } = compile(row.provider, row.resource, mapping)
      for (const { field } of fields) {
        const [name = ""] = field.split("[]")
        assert.property(row.resource.fields, name)
      }
      for (const { nativeType, notHeld } of mapping.variants) {
        const stamps = ["remote_id", "remote_created_at", "remote_updated_at", "remote_was_deleted"]
        for (const name of stamps.filter((one) => notHeld[one] === undefined)) {
          const stamp = fields.find((one) => one.native_type === nativeType && one.field === name)
          assert.strictEqual(stamp?.access, "read", `${nativeType} ${name}`)
        }
      }
      const { has } = row
      if (has("replace")) assert.isTrue(has("patch"), "whoever can write a record whole can write a part")
      if (has("create")) assert.isTrue(has("get"), "what is made can be read")
      if (row.resource.class === "read-only") assert.isFalse(has("create") || has("patch") || has("remove"))
    })
  )
}

/** Parts or lookups that are all empty, and what was asked for. */
const noting = (asked: Set<string>) =>
  new Proxy<{ readonly [name: string]: unknown }>(
    {},
    {
      get: (_, name) => {
        if (typeof name === "string") asked.add(name)
        return undefined
      }
    }
  )
