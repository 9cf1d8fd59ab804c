import { createHmac } from "node:crypto"
import { HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { bodyOf, laid } from "../../../src/providers/netsuite/Bodies.ts"
import { signedText, signingKey } from "../../../src/providers/base/OAuth1.ts"
import { signed } from "../../../src/providers/netsuite/TokenBased.ts"

describe("what is sent to NetSuite", () => {
  const reference = (id: string) => ({ id, refName: "a name", links: [{ rel: "self", href: "https://x/1" }] })

  const bill = laid(["expense", "item"], {
    id: "7",
    memo: "Brass",
    entity: reference("5"),
    terms: reference("2"),
    expense: {
      items: [
        { line: 1, account: reference("60"), amount: 80, custcol_batch: "A" },
        { line: 2, account: reference("61"), amount: 20 }
      ]
    },
    item: { items: [{ line: 1, item: reference("9"), quantity: 2, rate: 10, amount: 20, grossAmt: 21 }] }
  })

  const lines = Array.isArray(bill.lines) ? bill.lines : []
  const write = (encoded: { readonly [name: string]: unknown }) => bodyOf(["expense", "item"], encoded, bill)

  it("both sublists are one list, each line known by its sublist and number", () => {
    assert.deepStrictEqual(
      lines.map(({ key, sublist }) => [sublist, key]),
      [
        ["expense", "e:1"],
        ["expense", "e:2"],
        ["item", "i:1"]
      ]
    )
    assert.notProperty(bill, "expense")
  })

  it("only what changes is sent; a reference to nothing is null", () => {
    const same = { memo: "Brass", entity: { id: "5" }, lines }
    assert.deepStrictEqual(write(same), { body: {}, replaced: [] })
    const other = { memo: null, entity: { id: "6" }, terms: { id: null }, class: { id: null } }
    assert.deepStrictEqual(write(other).body, { memo: null, entity: { id: "6" }, terms: null })
  })

  it("a line that changes is named by its number, a new one comes after it", () => {
    const [first, second, item] = lines
    const written = write({
      lines: [{ ...first, amount: 90 }, second, { sublist: "expense", amount: 5, memo: null }, item]
    })
    assert.deepStrictEqual(written, {
      body: { expense: { items: [{ line: 1, amount: 90 }, { amount: 5 }] } },
      replaced: []
    })
  })

  it("where a line goes, those that stay are sent whole, with what the model does not hold", () => {
    const [first, , item] = lines
    assert.deepStrictEqual(write({ lines: [first, item] }), {
      body: { expense: { items: [{ line: 1, account: { id: "60" }, amount: 80, custcol_batch: "A" }] } },
      replaced: ["expense"]
    })
    const repriced = write({ lines: [first, { sublist: "item", quantity: 1 }, { ...item, quantity: 3 }] })
    assert.deepStrictEqual(repriced.replaced, ["expense", "item"])
    // amounts that were reckoned of the old quantity are not sent along
    assert.deepStrictEqual(repriced.body.item, {
      items: [{ quantity: 1 }, { line: 1, item: { id: "9" }, quantity: 3, rate: 10 }]
    })
  })

  it("a line of the other sublist is a new one", () => {
    const [first, second, item] = lines
    const written = write({ lines: [first, { ...second, sublist: "item" }, item] })
    assert.deepStrictEqual(written.replaced, ["expense", "item"])
  })

  it("signs what RFC 5849 says is to be signed", () => {
    // https://datatracker.ietf.org/doc/html/rfc5849#section-3.4.1.1
    const text = signedText("POST", "http://example.com/request", [
      ["b5", "=%3D"],
      ["a3", "a"],
      ["c@", ""],
      ["a2", "r b"],
      ["oauth_consumer_key", "9djdj82h48djs9d2"],
      ["oauth_token", "kkk9d7dh3k39sjv7"],
      ["oauth_signature_method", "HMAC-SHA1"],
      ["oauth_timestamp", "137131201"],
      ["oauth_nonce", "7d8f3e4a"],
      ["c2", ""],
      ["a3", "2 q"]
    ])
    assert.strictEqual(
      text,
      "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26" +
        "oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26" +
        "oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7"
    )
  })

  it("the signature of a request is made with both secrets, over its query too", () => {
    const request = signed(
      HttpClientRequest.get("https://123.suitetalk.api.netsuite.com/services/rest/record/v1/customer/7", {
        urlParams: { expandSubResources: "true" }
      }),
      {
        version: 1,
        secret: Redacted.make(signingKey("consumer!secret", "token secret")),
        values: { accountId: "123_SB1", consumerKey: "ck", tokenId: "tk" }
      }
    )
    const header = request.headers.authorization ?? ""
    const found = new Map(
      [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, decodeURIComponent(value)])
    )
    assert.match(header, /^OAuth realm="123_SB1", /)
    const own = [...found].filter(([name]) => name !== "realm" && name !== "oauth_signature")
    const text = signedText("GET", request.url, [...own, ["expandSubResources", "true"]])
    const signature = createHmac("sha256", "consumer%21secret&token%20secret").update(text).digest("base64")
    assert.strictEqual(found.get("oauth_signature"), signature)
    assert.notInclude(header, "secret")
  })
})
