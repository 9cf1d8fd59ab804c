import { assert, describe, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { accounting, crm } from "../../src/canonical/Catalogue.ts"
import type { CommonFields, Fields, Shape } from "../../src/canonical/Resource.ts"
import { accountedFor, type ResourceEntries } from "../../src/mapping/Entries.ts"
import type { Entry, NotHeldFields } from "../../src/mapping/Mapping.ts"
import { plainMapping } from "../../src/mapping/PlainMapping.ts"
import { number, text } from "../../src/mapping/Transform.ts"
import { type ProviderLayer, registered } from "../../src/Parts.ts"
import { bearer } from "../../src/providers/base/Authorization.ts"
import { Budget } from "../../src/providers/base/Budget.ts"
import { Upstream } from "../../src/providers/base/Upstream.ts"
import { Credentials } from "../../src/providers/Credentials.ts"
import { KeptValues } from "../../src/providers/KeptValues.ts"
import type { ProviderAdapter, ResourceAdapter } from "../../src/providers/ProviderAdapter.ts"
import { provider, Providers } from "../../src/providers/Providers.ts"
import { toolkit, Toolkits } from "../../src/toolkits/Toolkits.ts"

const authorization = { kind: "key", help: "", apply: bearer } as const

const list = () => Effect.succeed({ records: [], next: null })

/** Reasons for the fields that no entry maps. */
const reasonsBeside = (resource: Shape, mapped: ReadonlyArray<string>) =>
  Object.fromEntries(
    accountedFor(resource)
      .filter((name) => !mapped.includes(name))
      .map((name) => [name, "This test needs no such field."])
  )

const listing = <F extends Fields>(
  resource: Shape<F & CommonFields>,
  make: (of: ResourceEntries<F & CommonFields>) => ReadonlyArray<Entry> = () => []
): ResourceAdapter => {
  const any: Shape = resource
  return {
    consistency: "exact",
    mapping: plainMapping(any, (of) => [
      of.variant({
        nativeType: "person",
        entries: [of.readField("remote_id", "id", text), ...make(of)],
        notHeld: reasonsBeside(any, ["remote_id", ...make(of).flatMap(({ canonical }) => canonical)])
      })
    ]),
    list
  }
}

/** An adapter with other reasons, which the compiler would not take. */
const withReasons = (adapter: ResourceAdapter, change: (reasons: NotHeldFields) => NotHeldFields): ResourceAdapter => ({
  ...adapter,
  mapping: {
    ...adapter.mapping,
    variants: adapter.mapping.variants.map((variant) => ({ ...variant, notHeld: change(variant.notHeld) }))
  }
})

const close = (resources: ProviderAdapter["resources"], more: Partial<ProviderAdapter> = {}) =>
  provider(
    Effect.succeed({ slug: "close", name: "Close", category: "crm", authorization, resources, lookups: {}, ...more })
  )

const desk = (slug: string) => toolkit(Effect.succeed({ slug, name: slug, description: "", authorization, tools: [] }))

/** Nothing here makes a call. */
const unused = Layer.mergeAll(
  Layer.mock(Upstream, {}),
  Layer.mock(Budget, { take: () => 0 }),
  Layer.mock(Credentials, {}),
  KeptValues.layerMemory,
  Layer.succeed(SqlClient.SqlClient, {} as SqlClient.SqlClient)
)

/** Why parts are refused; undefined when they are not. */
const refusal = (parts: ProviderLayer) =>
  Layer.build(parts).pipe(
    Effect.match({ onSuccess: () => undefined, onFailure: String }),
    Effect.provide(Layer.mergeAll(Providers.layer, Toolkits.layer, unused)),
    Effect.scoped
  )

/** A value as plain JavaScript may pass it. */
const untyped = (part: object): ResourceAdapter => part as ResourceAdapter

describe("registering", () => {
  const right = listing(crm.contact, (of) => [
    of.field("first_name", "first", text),
    of.field("last_name", "last", text)
  ])

  it.effect("takes what is declared right", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* refusal(close({ contact: right })))
    })
  )

  const wrong: ReadonlyArray<readonly [string, ReturnType<typeof close>]> = [
    [
      'provider close, resource contact: "frist_name" is not a field of crm/contact; did you mean "first_name"?',
      close({
        // @ts-expect-error misspelt
        contact: listing(crm.contact, (of) => [of.field("frist_name", "first", text)])
      })
    ],
    [
      'provider close, resource contact: "phone_numbers[].phone_numbr" is not a field of crm/contact; did you mean "phone_number"?',
      close({
        contact: listing(crm.contact, (of) => [
          // @ts-expect-error misspelt
          of.slots("phone_numbers", null, (of) => [{ is: null, entries: [of.field("phone_numbr", "phone", text)] }])
        ])
      })
    ],
    [
      'provider close, resource invoice: "line_items[].quantty" is not a field of accounting/invoice; did you mean "quantity"?',
      close(
        {
          invoice: listing(accounting.invoice, (of) => [
            of.constant("type", "ACCOUNTS_PAYABLE"),
            of.lines("line_items", {
              native: "lines",
              // @ts-expect-error misspelt
              forms: (of) => [{ where: {}, entries: [of.field("quantty", "qty", number)] }]
            })
          ])
        },
        { category: "accounting" }
      )
    ],
    [
      "provider close: api.root must be an address without a slash at its end\n" +
        'provider close: api.closed: "/OAuth/" must begin with a slash, end with none, and be in lower case\n' +
        'provider close: api: the name of the header "X-Close" must be in lower case',
      close(
        { contact: right },
        {
          api: {
            call: () => Effect.dieMessage("nobody is called"),
            root: "https://api.close.com/",
            closed: ["/oauth2", "/OAuth/"],
            headers: ["X-Close"]
          }
        }
      )
    ],
    [
      'provider close, resource contact: "person" does not map "title", and its notHeld gives no reason',
      close({ contact: withReasons(right, ({ title: _, ...others }) => others) })
    ],
    [
      'provider close, resource contact: "person" maps "first_name", so its notHeld must not have it',
      close({ contact: withReasons(right, (reasons) => ({ ...reasons, first_name: "Close has no given names." })) })
    ],
    [
      "provider close, resource contact: its mapping is of deal",
      close({ contact: { ...right, mapping: { ...right.mapping, resource: "deal" } } })
    ],
    [
      'provider close, resource contcat: the crm catalogue has no such resource; did you mean "contact"?',
      close({ contcat: right })
    ],
    [
      'provider close, resource contact: needs: "adresses" is not a field of crm/contact; did you mean "addresses"?',
      close({ contact: { ...right, needs: ["first_name", "adresses"] } })
    ],
    [
      'provider close, resource contact: needs: "last_activity_at" of crm/contact is never written',
      close({ contact: { ...right, needs: ["last_activity_at"] } })
    ],
    [
      'provider close, resource invoice: rules: "line_items[].descripton" is not a field of accounting/invoice; did you mean "description"?',
      close(
        {
          invoice: {
            ...listing(accounting.invoice),
            rules: [{ rule: "required", fields: ["line_items[].descripton"] }]
          }
        },
        { category: "accounting" }
      )
    ],
    [
      'provider close, resource activity: rules: "CAL" is not a value of activity_type; did you mean "CALL"?',
      close({
        activity: { ...listing(crm.activity), rules: [{ rule: "subset", fields: ["activity_type"], values: ["CAL"] }] }
      })
    ],
    [
      'provider close, resource contact: rules: a rule must be one of "oneOf", "exactlyOneTrue", "required", "balanced", "subset", not "anyOf"',
      close({ contact: untyped({ ...right, rules: [{ rule: "anyOf", fields: ["title"] }] }) })
    ],
    [
      "provider close, resource contact: it has no operation; give it one of list, get, create, replace, patch, remove, download",
      close({ contact: { mapping: right.mapping, consistency: "exact" } })
    ],
    [
      "provider close, resource contact: list must be a function, not string",
      close({ contact: untyped({ ...right, list: "cursor" }) })
    ],
    [
      'provider close, resource contact: consistency must be one of "exact", "anchored", "best-effort", not "eventual"',
      close({ contact: untyped({ ...right, consistency: "eventual" }) })
    ],
    [
      'provider close, resource contact: two variants have the nativeType "person"',
      close({
        contact: {
          ...right,
          mapping: { ...right.mapping, variants: [...right.mapping.variants, ...right.mapping.variants] }
        }
      })
    ],
    [
      'provider Close!: a slug is lower-case letters, digits and underscores, a letter first, such as "zoho_crm"',
      close({ contact: right }, { slug: "Close!" })
    ],
    [
      'provider undefined: a slug is lower-case letters, digits and underscores, a letter first, such as "zoho_crm"',
      // @ts-expect-error no slug
      close({ contact: right }, { slug: undefined })
    ]
  ]

  it.effect.each(wrong)("says %s", ([message, layer]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusal(layer), `InvalidPart: ${message}`)
    })
  )

  it.effect("names every mistake at once", () =>
    Effect.gen(function* () {
      // @ts-expect-error misspelt
      const deal = listing(crm.deal, (of) => [of.field("nam", "name", text)])
      const said = yield* refusal(close({ contcat: right, deal }))
      assert.include(said, "resource contcat: ")
      assert.include(said, 'resource deal: "nam" is not a field of crm/deal; did you mean "name"?')
    })
  )

  it.effect("refuses a slug that is taken, by whatever part", () =>
    Effect.gen(function* () {
      const one = close({ contact: right })
      const taken = yield* refusal(registered({ providers: [one, close({ contact: right })] }))
      assert.include(taken, "provider close: the slug is taken by another provider")
      assert.include(
        yield* refusal(registered({ providers: [one], toolkits: [desk("close")] })),
        "toolkit close: the slug is taken by a provider"
      )
      assert.include(
        yield* refusal(registered({ toolkits: [desk("crm")] })),
        "toolkit crm: the slug is taken by another toolkit"
      )
      assert.isUndefined(yield* refusal(registered({ providers: [one], toolkits: [desk("desk")] })))
    })
  )
})
