import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Company } from "../../../src/canonical/crm/Company.ts"
import { Contact } from "../../../src/canonical/crm/Contact.ts"
import { Deal } from "../../../src/canonical/crm/Deal.ts"
import { Owner } from "../../../src/canonical/crm/Owner.ts"
import { Pipeline } from "../../../src/canonical/crm/Pipeline.ts"
import { compile, type CompiledMapping } from "../../../src/mapping/Compile.ts"
import type { Body, Mode } from "../../../src/mapping/Encode.ts"
import { isNative, type Native } from "../../../src/mapping/Mapping.ts"
import { HubSpot } from "../../../src/providers/hubspot/HubSpot.ts"
import { simulator } from "../../../src/providers/hubspot/simulator/HubSpotSimulator.ts"
import type { ConnectionRef } from "../../../src/providers/ConnectionRef.ts"
import type { NativeRecord } from "../../../src/providers/ProviderAdapter.ts"
import { Providers } from "../../../src/providers/Providers.ts"
import { harness } from "../../support/Harness.ts"

const context = {
  reference: () => "",
  line: (path: string, lineId: string) => `${path}/${lineId}`
}

const resources = { contact: Contact, company: Company, deal: Deal, owner: Owner, pipeline: Pipeline }
type Name = keyof typeof resources

/** The service's use of the adapter, for one connection. */
const service = Effect.fnUntraced(function* (account: string) {
  const providers = yield* Providers
  const adapter = providers.get("hubspot") ?? (yield* Effect.dieMessage("HubSpot is not registered"))
  const connection: ConnectionRef = { id: account, provider: "hubspot", environment: "sandbox", organisation: "org" }
  const of = (name: Name) => {
    const resourceAdapter = adapter.resources[name]
    if (resourceAdapter === undefined) throw new Error(`no ${name}`)
    const mapping: CompiledMapping = compile("hubspot", resources[name], resourceAdapter.mapping)
    const [variant] = mapping.variants
    if (variant === undefined) throw new Error("no variant")
    return { resourceAdapter, mapping, variant }
  }
  const decode = (name: Name, found: NativeRecord) => of(name).variant.decode(found, context)
  const get = (name: Name, id: string) => {
    const { resourceAdapter, variant } = of(name)
    return Effect.map(resourceAdapter.get?.({ connection, variant, id }) ?? Effect.dieMessage("no get"), (found) =>
      decode(name, found)
    )
  }
  const encode = Effect.fnUntraced(function* (name: Name, body: Body, mode: Mode, id?: string) {
    const { resourceAdapter, variant } = of(name)
    const needs = variant.needs(body, mode)
    const lookups = yield* Effect.all(
      Object.fromEntries(
        needs.lookups.map((lookup) => [
          lookup,
          adapter.lookups[lookup]?.load(connection) ?? Effect.dieMessage(`no ${lookup}`)
        ])
      )
    )
    const current =
      needs.current && id !== undefined
        ? yield* resourceAdapter.get?.({ connection, variant, id }) ?? Effect.dieMessage("no get")
        : undefined
    const encoded = yield* Effect.orDie(
      variant.encode(body, mode, {
        resolve: () => undefined,
        lookups,
        current,
        handling: "strict" as const,
        today: "2026-03-02",
        currentRecord: current === undefined ? undefined : decode(name, current)
      })
    )
    return { encoded, current }
  })
  const create = Effect.fnUntraced(function* (name: Name, body: Body) {
    const { resourceAdapter, variant } = of(name)
    const { encoded } = yield* encode(name, body, "create")
    const { id } = yield* (
      resourceAdapter.create?.({ connection, variant, encoded, idempotencyKey: undefined }) ??
      Effect.dieMessage("no create")
    )
    return yield* get(name, id)
  })
  const update = Effect.fnUntraced(function* (name: Name, mode: "patch" | "replace", id: string, body: Body) {
    const { resourceAdapter, variant } = of(name)
    const { current, encoded } = yield* encode(name, body, mode, id)
    yield* (
      resourceAdapter[mode]?.({ connection, variant, id, encoded, current, mode }) ?? Effect.dieMessage("no update")
    )
    return yield* get(name, id)
  })
  const remove = (name: Name, id: string) => {
    const { resourceAdapter, variant } = of(name)
    return resourceAdapter.remove?.({ connection, variant, id, current: undefined }) ?? Effect.dieMessage("no remove")
  }
  const list = Effect.fnUntraced(function* (name: Name, limit: number) {
    const { mapping, resourceAdapter } = of(name)
    const found: Array<Native> = []
    let position: string | null = null
    do {
      const page: { readonly records: ReadonlyArray<NativeRecord>; readonly next: string | null } = yield* (
        resourceAdapter.list?.({
          connection,
          mapping,
          position,
          limit,
          wanted: {}
        }) ?? Effect.dieMessage("no list")
      )
      assert.isAtMost(page.records.length, limit)
      found.push(...page.records.map((record) => decode(name, record)))
      position = page.next
    } while (position !== null)
    return found
  })
  return { get, create, update, remove, list }
})

const idOf = (record: Native) => String(record.remote_id)

layer(HubSpot.pipe(Layer.provideMerge(harness([{ simulator }]))))("HubSpot", (it) => {
  it.effect.each(["contact", "company", "deal", "owner", "pipeline"] as const)(
    "lists every %s once at any page size",
    (name) =>
      Effect.gen(function* () {
        const { list } = yield* service("lists")
        const ids = (yield* list(name, 100)).map(idOf)
        assert.isAbove(ids.length, 0)
        assert.strictEqual(new Set(ids).size, ids.length)
        assert.deepStrictEqual((yield* list(name, 1)).map(idOf), ids)
        assert.deepStrictEqual((yield* list(name, 7)).map(idOf), ids)
      })
  )

  it.effect("gives a single record as the list does", () =>
    Effect.gen(function* () {
      const { get, list } = yield* service("gets")
      for (const name of ["contact", "company", "deal", "owner", "pipeline"] as const) {
        const [first] = yield* list(name, 1)
        assert.deepStrictEqual(yield* get(name, idOf(first ?? {})), first)
      }
    })
  )

  it.effect("creates a contact at its company, and moves and removes the link", () =>
    Effect.gen(function* () {
      const { create, get, update } = yield* service("links")
      const one = idOf(yield* create("company", { name: "One" }))
      const two = idOf(yield* create("company", { name: "Two" }))
      const made = yield* create("contact", {
        first_name: "Zoë 🦊",
        last_name: "Test",
        account: one,
        email_addresses: [{ email_address: "zoe@example.com" }],
        phone_numbers: [{ phone_number: "+49 30 1", phone_number_type: "MOBILE" }],
        addresses: [{ street_1: "Hauptstr. 1", street_2: "Hof\nLinks", city: "Berlin" }]
      })
      assert.strictEqual(made.account, one)
      assert.strictEqual(made.first_name, "Zoë 🦊")
      assert.strictEqual((yield* update("contact", "patch", idOf(made), { account: two })).account, two)
      const unlinked = yield* update("contact", "patch", idOf(made), { account: null })
      assert.isNull(unlinked.account)
      assert.deepStrictEqual(unlinked.addresses, made.addresses)
      assert.strictEqual((yield* get("company", one)).name, "One")
    })
  )

  it.effect("patches what is named and replaces the rest", () =>
    Effect.gen(function* () {
      const { create, update } = yield* service("writes")
      const made = yield* create("company", {
        name: "Acme",
        description: "makes everything",
        number_of_employees: 12,
        addresses: [{ street_1: "Road 1", street_2: "2nd floor", city: "Leeds", country: "UK" }],
        phone_numbers: [{ phone_number: "0113 1", phone_number_type: "WORK" }]
      })
      const patched = yield* update("company", "patch", idOf(made), { number_of_employees: 13 })
      assert.deepStrictEqual(
        { ...patched, remote_updated_at: null },
        { ...made, number_of_employees: 13, remote_updated_at: null }
      )
      const replaced = yield* update("company", "replace", idOf(made), { name: "Acme Ltd" })
      assert.strictEqual(replaced.name, "Acme Ltd")
      assert.isNull(replaced.description)
      assert.isNull(replaced.number_of_employees)
      assert.deepStrictEqual(replaced.addresses, [])
      assert.deepStrictEqual(replaced.phone_numbers, [])
    })
  )

  it.effect("does not show a removed record", () =>
    Effect.gen(function* () {
      const { create, get, list, remove } = yield* service("removes")
      const id = idOf(yield* create("contact", { last_name: "Gone" }))
      yield* remove("contact", id)
      const error = yield* Effect.flip(get("contact", id))
      assert.strictEqual(error._tag === "ProviderError" ? error.reason._tag : undefined, "Missing")
      assert.notInclude((yield* list("contact", 100)).map(idOf), id)
    })
  )

  it.effect("wins and reopens a deal by its stage", () =>
    Effect.gen(function* () {
      const { create, list, update } = yield* service("deals")
      const all = yield* list("pipeline", 100)
      const stagesOf = (id: unknown) => {
        const stages = all.find(({ remote_id }) => remote_id === id)?.stages
        return Array.isArray(stages) ? stages.filter(isNative) : []
      }
      const [first] = stagesOf("default").filter(({ status }) => status === "OPEN")
      const company = idOf(yield* create("company", { name: "Buyer" }))
      const person = idOf(yield* create("contact", { last_name: "Buyer" }))
      const made = yield* create("deal", {
        name: "Big one",
        amount: 1234.5,
        close_date: "2026-03-31",
        stage: first?.remote_id,
        account: company,
        contact: person
      })
      assert.deepInclude(made, {
        amount: 1234.5,
        close_date: "2026-03-31",
        pipeline: "default",
        status: "OPEN",
        account: company,
        contact: person
      })
      const won = yield* update("deal", "patch", idOf(made), { status: "WON" })
      assert.strictEqual(won.status, "WON")
      assert.strictEqual(stagesOf("default").find(({ remote_id }) => remote_id === won.stage)?.status, "WON")
      assert.deepInclude(yield* update("deal", "patch", idOf(made), { status: "OPEN" }), {
        status: "OPEN",
        stage: first?.remote_id,
        account: company
      })
    })
  )

  it.effect("says which field HubSpot rejects, and what collides", () =>
    Effect.gen(function* () {
      const { create } = yield* service("errors")
      const failed = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.map(Effect.flip(effect), (error) => (isNative(error) && isNative(error.reason) ? error.reason : {}))
      const email = yield* failed(
        create("contact", { last_name: "A", email_addresses: [{ email_address: "nonsense" }] })
      )
      assert.strictEqual(email._tag, "Invalid")
      assert.deepStrictEqual(Object.keys(isNative(email.fields) ? email.fields : {}), ["properties.email"])
      const body = { last_name: "A", email_addresses: [{ email_address: "twice@example.com" }] }
      yield* create("contact", body)
      assert.strictEqual((yield* failed(create("contact", body)))._tag, "Clash")
      assert.strictEqual((yield* failed(create("contact", { last_name: "A", account: "99999999999" })))._tag, "Invalid")
    })
  )

  it.effect("blames the link, not the record, when a company is unknown", () =>
    Effect.gen(function* () {
      const { create, update } = yield* service("blame")
      const made = yield* create("contact", { last_name: "A" })
      const error = yield* Effect.flip(update("contact", "patch", idOf(made), { title: "CEO", account: "99999999999" }))
      if (!("_tag" in error) || error._tag !== "ProviderError") return assert.fail("not the provider's error")
      assert.strictEqual(error.reason._tag, "Invalid")
      assert.deepStrictEqual(Object.keys("fields" in error.reason ? error.reason.fields : {}), [
        "associations.companies"
      ])
      assert.deepStrictEqual(error.done, ["record"])
    })
  )
})
