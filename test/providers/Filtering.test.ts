import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { everything } from "../../src/All.ts"
import { crm, resourcesOf } from "../../src/canonical/Catalogue.ts"
import { isReport } from "../../src/canonical/Resource.ts"
import { declarations } from "../../src/Declarations.ts"
import { clausesFor, dayFrom, exact, filtersOf, foundBy, wide } from "../../src/providers/Filtering.ts"
import { describingFilters } from "../../src/providers/FiltersInOpenApi.ts"
import type { Sought } from "../../src/providers/ProviderAdapter.ts"
import { Providers } from "../../src/providers/Providers.ts"

const sought = (text: string): Sought => ({ text, values: [text] })

describe("clauses", () => {
  const clauses = {
    owner: exact(({ text }) => (/^\d+$/.test(text) ? `owner = ${text}` : null)),
    name: wide(({ text }) => `name like ${text}`)
  }

  it("are found by the provider where they are exact", () => {
    assert.deepStrictEqual(foundBy(clauses), ["owner"])
  })

  it("are said of what is wanted, and of nothing else", () => {
    const wanted = { owner: sought("7"), name: sought("A"), email: sought("x") }
    assert.deepStrictEqual(clausesFor(clauses, { wanted }), Option.some(["owner = 7", "name like A"]))
    assert.deepStrictEqual(clausesFor(clauses, { wanted: {} }), Option.some([]))
  })

  it("mean that nothing is found where a value cannot be the provider's", () => {
    assert.deepStrictEqual(clausesFor(clauses, { wanted: { owner: sought("x"), name: sought("A") } }), Option.none())
  })
})

it("the first day that begins at an instant or after it", () => {
  assert.strictEqual(dayFrom("2026-01-31T00:00:00.000Z"), "2026-01-31")
  assert.strictEqual(dayFrom("2026-01-31T00:00:00.001Z"), "2026-02-01")
  assert.strictEqual(dayFrom("2026-12-31T23:59:59.999Z"), "2027-01-01")
})

it.effect("the document says of every list which provider answers a filter, and for which the service sifts", () =>
  Effect.gen(function* () {
    const providers = (yield* Providers).all()
    const path = "/api/v1/crm/contact"
    const document = { paths: { [path]: { get: { description: "Contacts" } }, "/health": {} } }
    const { paths } = describingFilters(document, providers)
    const description = paths[path]?.get?.description ?? ""
    assert.match(description, /^Contacts\n\n/)
    for (const { category, resources, slug } of providers) {
      const resourceAdapter = resources.contact
      if (category !== "crm" || resourceAdapter === undefined) continue
      for (const [filter, support] of Object.entries(filtersOf(slug, crm.contact, resourceAdapter))) {
        const row = description.split("\n").find((line) => line.startsWith(`| \`${filter}\``)) ?? ""
        assert.include(row.split("|")[support === "native" ? 2 : 3], slug, filter)
      }
    }
    assert.deepStrictEqual(paths["/health"], {})
  }).pipe(Effect.provide(declarations(everything)))
)

const cells = (values: ReadonlyArray<string>) => `| ${values.join(" | ")} |`

it.effect(
  "docs/filters.md says the same: `npx vitest run test/providers/Filtering.test.ts -u` writes it",
  ({ expect }) =>
    Effect.gen(function* () {
      const providers = (yield* Providers).all()
      const sections = (["crm", "accounting"] as const).flatMap((category) =>
        resourcesOf(category)
          .filter((resource) => !isReport(resource))
          .map((resource) => {
            const known = providers.flatMap(({ category: of, name, resources, slug }) => {
              const resourceAdapter = of === category ? resources[resource.name] : undefined
              return resourceAdapter?.list === undefined
                ? []
                : [{ name, filters: filtersOf(slug, resource, resourceAdapter) }]
            })
            const rows = Object.keys(resource.filters).filter((filter) =>
              known.some(({ filters }) => filters[filter] !== undefined)
            )
            return [
              `## ${category}/${resource.name}`,
              [
                cells(["", ...known.map(({ name }) => name)]),
                cells(["---", ...known.map(() => "---")]),
                ...rows.map((filter) => cells([`\`${filter}\``, ...known.map(({ filters }) => filters[filter] ?? "")]))
              ].join("\n")
            ].join("\n\n")
          })
      )
      const texts = providers.flatMap(({ name, searchText }) =>
        searchText === undefined ? [] : [`- ${name}: ${searchText.expected}`]
      )
      const text = [
        "# Filters",
        "What lists can be cut down to at each provider. `native`: the provider answers it. `scanned`: the service asks for what it can, reads on and sifts by the same meaning, so that a page can be short while `hasMore` is true. Empty: `400 FILTER_NOT_SUPPORTED`. A filter of a field that an organisation overrides is scanned. Reports take `created_after` and `created_before` as the days of their period, both inclusive.",
        "The text of `q` has bounds at some:",
        texts.join("\n"),
        ...sections
      ].join("\n\n")
      yield* Effect.promise(() => expect(`${text}\n`).toMatchFileSnapshot("../../docs/filters.md"))
    }).pipe(Effect.provide(declarations(everything)))
)
