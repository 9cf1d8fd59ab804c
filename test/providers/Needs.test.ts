import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { everything } from "../../src/All.ts"
import { crm, resourcesOf } from "../../src/canonical/Catalogue.ts"
import { categories } from "../../src/canonical/Resource.ts"
import { declarations } from "../../src/Declarations.ts"
import { plainMapping } from "../../src/mapping/PlainMapping.ts"
import { text } from "../../src/mapping/Transform.ts"
import { bearer } from "../../src/providers/base/Authorization.ts"
import { sentencesOf } from "../../src/providers/Needs.ts"
import { describingNeeds } from "../../src/providers/NeedsInOpenApi.ts"
import type { ProviderAdapter, ResourceAdapter } from "../../src/providers/ProviderAdapter.ts"
import { Providers } from "../../src/providers/Providers.ts"
import { allBut } from "../support/NotHeld.ts"
import { formatJson, toLines } from "../support/FileSnapshots.ts"

/** Fields and rules that a provider requires of a create, in addition to those of every provider. */
const describeNeeds = ({ needs, rules }: ResourceAdapter) => JSON.stringify({ needs, rules })

/** The needs of every provider as JSON, by resource and provider, with one provider per line. */
const needsSnapshot = (providers: ReadonlyArray<ProviderAdapter>) => {
  const resources = categories.flatMap((category) =>
    resourcesOf(category).map(({ name }) => {
      const needs = providers.flatMap(({ category: own, resources: adapters, slug }) => {
        const adapter = own === category ? adapters[name] : undefined
        return adapter?.needs === undefined && adapter?.rules === undefined
          ? []
          : [[slug, describeNeeds(adapter)] as const]
      })
      return { path: `${category}/${name}`, needs }
    })
  )
  return toLines(resources.flatMap(({ needs, path }) => (needs.length === 0 ? [] : [[path, toLines(needs)] as const])))
}

describe("what providers need", () => {
  it.effect(
    "is the list in needs.json: `npx vitest run test/providers/Needs.test.ts -u` takes it again",
    ({ expect }) =>
      Effect.gen(function* () {
        const providers = (yield* Providers).all()
        const file = join(import.meta.dirname, "needs.json")
        const text = yield* Effect.promise(() => formatJson(file, needsSnapshot(providers)))
        yield* Effect.promise(() => expect(text).toMatchFileSnapshot(file))
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
