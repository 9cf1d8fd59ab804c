import { assert, describe, it } from "@effect/vitest"
import { Either, Redacted } from "effect"
import { decode, encode } from "../../src/connections/StoredCredentials.ts"

const errorsOf = (json: unknown) => {
  const result = decode(json)
  return Either.isLeft(result) ? result.left.errors : undefined
}

describe("StoredCredentials", () => {
  it("come back as they were stored", () => {
    const kept = [
      {
        realmId: "9130",
        accessToken: "at",
        refreshToken: "rt",
        expiresAt: "2030-01-31T12:00:00.000Z",
        reauthBy: "2030-02-07T12:00:00.000Z"
      },
      { clientId: "c", accessToken: "at", privateKey: "pem", expiresAt: "2030-01-31T12:00:00.000Z" },
      { clientId: "c", privateKey: "pem", expiresAt: "1970-01-01T00:00:00.000Z" },
      { accessToken: "at" },
      { region: "eu", apiKey: "k" },
      { connectionString: "postgresql://u:p@h/d" }
    ]
    for (const json of kept) {
      const stored = Either.getOrThrow(decode(json))
      assert.deepStrictEqual(JSON.parse(Redacted.value(encode(stored))), json)
    }
  })

  it("that sign requests keep one secret, made of both, and what is not secret beside it", () => {
    const own = { consumerKey: "ck", tokenId: "ti", accountId: "1234567_SB1" }
    const stored = Either.getOrThrow(decode({ ...own, consumerSecret: "c&s", tokenSecret: "t!s" }))
    assert.deepStrictEqual(stored.values, own)
    assert.strictEqual(Redacted.value(stored.secret), "c%26s&t%21s")
    assert.deepStrictEqual(Either.getOrThrow(decode(JSON.parse(Redacted.value(encode(stored))))), stored)
    assert.deepStrictEqual(errorsOf({ ...own, consumerSecret: "hush", tokenId: "" }), {
      "credentials.tokenId": "must be text and not empty",
      "credentials.tokenSecret": "is required"
    })
    assert.property(errorsOf({ ...own, accessToken: "at", consumerSecret: "hush", tokenSecret: "hush" }), "credentials")
  })

  it("take an expiry as a date-time with any offset, in milliseconds, or none", () => {
    const expiryOf = (expiresAt: unknown) => Either.getOrThrow(decode({ accessToken: "at", expiresAt })).expiresAt
    assert.strictEqual(expiryOf("2030-01-31T14:00:00+02:00"), Date.UTC(2030, 0, 31, 12))
    assert.strictEqual(expiryOf(1_900_000_000_000), 1_900_000_000_000)
    assert.isUndefined(expiryOf(null))
  })

  it("name every field that is wrong, and repeat none of their values", () => {
    assert.deepStrictEqual(errorsOf({ accessToken: "", refreshToken: 5, expiresAt: "soon", realmId: { a: "hush" } }), {
      "credentials.accessToken": "must be text and not empty",
      "credentials.refreshToken": "must be text and not empty",
      "credentials.expiresAt": "must be an ISO 8601 date-time such as 2030-01-31T12:00:00Z",
      "credentials.realmId": "must be text"
    })
  })

  it("hold exactly one secret", () => {
    const wrong = [
      null,
      "token",
      [],
      {},
      { access_token: "hush" },
      { accessToken: "hush", apiKey: "hush" },
      { apiKey: "hush", refreshToken: "hush" },
      { privateKey: "hush", refreshToken: "hush" },
      { privateKey: "hush", apiKey: "hush" }
    ]
    for (const json of wrong) {
      const errors = JSON.stringify(errorsOf(json))
      assert.include(errors, '"credentials"')
      assert.notInclude(errors, "hush")
    }
  })
})
