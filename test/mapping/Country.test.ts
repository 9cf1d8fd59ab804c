import { assert, describe, it } from "@effect/vitest"
import { country, countryCode } from "../../src/mapping/Country.ts"

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
})
