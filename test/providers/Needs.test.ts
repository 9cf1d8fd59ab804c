import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { everything } from "../../src/All.ts"
import { crm } from "../../src/canonical/Catalogue.ts"
import type { Rule } from "../../src/canonical/Rule.ts"
import { declarations } from "../../src/Declarations.ts"
import { plainMapping } from "../../src/mapping/PlainMapping.ts"
import { text } from "../../src/mapping/Transform.ts"
import { bearer } from "../../src/providers/base/Authorization.ts"
import { sentencesOf } from "../../src/providers/Needs.ts"
import { describingNeeds } from "../../src/providers/NeedsInOpenApi.ts"
import type { ProviderAdapter, ResourceAdapter } from "../../src/providers/ProviderAdapter.ts"
import { Providers } from "../../src/providers/Providers.ts"
import { allBut } from "../support/NotHeld.ts"

/** The data model, as far as it says what single providers need. */
interface Model {
  readonly resources: {
    readonly [path: string]: {
      readonly fields: { readonly [name: string]: { readonly neededBy?: ReadonlyArray<string> } }
      readonly rules?: ReadonlyArray<Rule & { readonly providers?: ReadonlyArray<string> }>
    }
  }
}

const model: Model = JSON.parse(readFileSync(new URL("../canonical/catalogue.json", import.meta.url), "utf8"))

/** The providers that the data model speaks of; later ones say themselves what they need. */
const named = new Set(
  Object.values(model.resources).flatMap(({ fields, rules = [] }) => [
    ...Object.values(fields).flatMap(({ neededBy = [] }) => neededBy),
    ...rules.flatMap(({ providers = [] }) => providers)
  ])
)

/** Conditions in one form: a field that is needed is a rule of its own. */
const conditionsOf = (needs: ReadonlyArray<string>, rules: ReadonlyArray<Rule>) =>
  [...needs.map((field): Rule => ({ rule: "required", fields: [field] })), ...rules]
    .map((rule) =>
      JSON.stringify(
        rule,
        Object.keys(rule)
          .concat(Object.keys(rule.when ?? {}))
          .sort()
      )
    )
    .sort()

describe("what providers need", () => {
  it.effect("is declared by each as the data model states it", () =>
    Effect.gen(function* () {
      const providers = (yield* Providers).all().filter(({ slug }) => named.has(slug))
      assert.strictEqual(providers.length, 7)
      for (const { category, resources, slug } of providers) {
        for (const [name, { needs = [], rules = [] }] of Object.entries(resources)) {
          const stated = model.resources[`${category}/${name}`]
          assert.deepStrictEqual(
            conditionsOf(needs, rules),
            conditionsOf(
              Object.entries(stated?.fields ?? {}).flatMap(([field, { neededBy }]) =>
                neededBy?.includes(slug) === true ? [field] : []
              ),
              (stated?.rules ?? [])
                .filter(({ providers }) => providers?.includes(slug) === true)
                .map(({ providers: _, ...rule }) => rule)
            ),
            `${slug} ${name}`
          )
        }
      }
    }).pipe(Effect.provide(declarations(everything)))
  )

  it("is told in sentences", () => {
    assert.deepStrictEqual(
      sentencesOf([
        { slug: "a", resourceAdapter: { needs: ["stage", "line_items[].item"] } },
        { slug: "b", resourceAdapter: {} },
        {
          slug: "c",
          resourceAdapter: {
            rules: [
              { rule: "oneOf", fields: ["contact", "account"] },
              { rule: "required", fields: ["account"], when: { type: "ACCOUNTS_PAYABLE" } },
              { rule: "subset", fields: ["activity_type"], values: ["CALL", "MEETING"] },
              { rule: "exactlyOneTrue", fields: ["is_customer", "is_supplier"] }
            ]
          }
        }
      ]),
      [
        "a requires stage; line_items[].item.",
        "c requires one of contact, account; account when type is ACCOUNTS_PAYABLE; activity_type one of CALL, MEETING, where it is given; exactly one of is_customer, is_supplier true."
      ]
    )
  })
})

describe("the OpenAPI document", () => {
  const resourceAdapter: ResourceAdapter = {
    consistency: "exact",
    mapping: plainMapping(crm.deal, (of) => [
      of.variant({
        nativeType: "deal",
        entries: [of.constant("currency", "USD"), of.field("name", "name", text)],
        notHeld: allBut(crm.deal, "currency", "name")
      })
    ]),
    create: () => Effect.succeed({ id: "1" })
  }
  const provider = (slug: string, more: Partial<ResourceAdapter>): ProviderAdapter => ({
    slug,
    name: slug,
    category: "crm",
    authorization: { kind: "key", help: "", apply: bearer },
    lookups: {},
    resources: { deal: { ...resourceAdapter, ...more } }
  })
  const document = {
    components: {
      schemas: {
        CrmDealBody: {
          required: ["name"],
          properties: { name: { description: "name" }, stage: { description: "stage id" }, owner: {} }
        },
        CrmDealPatch: { properties: { stage: { description: "stage id" } } }
      }
    }
  }

  it("requires what every provider does, and tells what single ones do", () => {
    const one = provider("one", { needs: ["stage", "owner"] })
    const two = provider("two", { needs: ["stage"], rules: [{ rule: "oneOf", fields: ["contact", "account"] }] })
    const { CrmDealBody: body, CrmDealPatch: patch } = describingNeeds(document, [one, two]).components.schemas
    assert.deepStrictEqual(body, {
      description: "two requires one of contact, account.",
      required: ["name", "stage"],
      properties: {
        name: { description: "name" },
        stage: { description: "stage id; required by one, two" },
        owner: { description: "required by one" }
      }
    })
    assert.deepStrictEqual(patch, document.components.schemas.CrmDealPatch)
  })

  it("stays as it is where nobody makes such records, or needs more", () => {
    const { create: _, ...read } = provider("three", {}).resources["deal"] ?? resourceAdapter
    const reader = { ...provider("three", {}), resources: { deal: { ...read, needs: ["stage"] } } }
    assert.deepStrictEqual(describingNeeds(document, []), document)
    assert.deepStrictEqual(describingNeeds(document, [reader, provider("four", {})]), document)
  })
})
