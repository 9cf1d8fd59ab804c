import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { crm } from "../../src/canonical/Catalogue.ts"
import { compile } from "../../src/mapping/Compile.ts"
import { country, countryCode } from "../../src/mapping/Country.ts"
import { company } from "../../src/providers/close/Company.ts"

const read = (text: string) => country.decode(text, { reference: () => "" })

describe("countries", () => {
  it("read as their codes from names, local names, abbreviations and codes of three letters", () => {
    for (const [code, ...names] of [
      ["US", "United States", "USA", "US", "U.S.A", "U.S.A.", "U.S.", "united states of america", "Vereinigte Staaten"],
      ["GB", "United Kingdom", "UK", "U.K.", "GBR", "England", "Royaume-Uni"],
      ["DE", "Germany", "Deutschland", "DEU", "Allemagne", "de"],
      ["ES", "España", "Espana", "Spain"],
      ["JP", "日本", "Japan"],
      ["NL", "The Netherlands", "Nederland", "Holland"],
      ["CI", "Côte d’Ivoire", "Cote d'Ivoire", "Ivory Coast"]
    ] as const) {
      assert.deepStrictEqual(
        names.map(read),
        names.map(() => code),
        names.join(", ")
      )
    }
  })

  it("read as they are where the text is surely none", () => {
    assert.deepStrictEqual(["Ruritania", "EU", "unknown", "XX"].map(read), ["Ruritania", "EU", "unknown", "XX"])
    assert.isNull(read(" "))
  })

  it("are written as a name or as a code, as the provider has them", () => {
    const context = { resolve: () => undefined, refuse: () => {}, warn: () => {} }
    assert.strictEqual(country.encode("DE", context, "country"), "Germany")
    assert.strictEqual(countryCode.encode("DE", context, "country"), "DE")
  })

  it("stay as the record has them where they mean the same", () => {
    const [variant] = compile("close", crm.company, company(() => Effect.dieMessage("no call")).mapping).variants
    const held = { addresses: [{ city: "Austin", country: "United States" }] }
    const currentRecord = variant?.decode({ record: held }, { reference: () => "", line: () => "" })
    const written = (country: string) =>
      variant
        ?.encode({ addresses: [{ city: "Boston", country }] }, "patch", {
          resolve: () => undefined,
          lookups: {},
          current: { record: held },
          handling: "lenient",
          today: "2026-03-02",
          currentRecord
        })
        .pipe(
          Either.map(({ record }) => record),
          Either.merge
        )
    assert.nestedPropertyVal(written("US"), "addresses[0].country", "United States")
    assert.nestedPropertyVal(written("CA"), "addresses[0].country", "CA")
  })
})
