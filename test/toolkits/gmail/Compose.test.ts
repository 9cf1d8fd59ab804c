import { assert, describe, it } from "@effect/vitest"
import { addressesIn, compose } from "../../../src/toolkits/gmail/Compose.ts"

describe("addresses of a header", () => {
  for (const [header, ...expected] of [
    ["ann@example.com", "ann@example.com"],
    ["<ann@example.com>", "ann@example.com"],
    ["Ann Lee <ann@example.com>, bo@example.com", "Ann Lee <ann@example.com>", "bo@example.com"],
    ['"Ann Lee" <ann@example.com>', "Ann Lee <ann@example.com>"],
    [
      '"Lee, Ann"<ann@example.com>,\r\n "Day, Bo" <bo@example.com>',
      '"Lee, Ann" <ann@example.com>',
      '"Day, Bo" <bo@example.com>'
    ],
    [String.raw`"Ann \"Annie\" Lee" <ann@example.com>`, String.raw`"Ann \"Annie\" Lee" <ann@example.com>`],
    ["undisclosed-recipients:;"],
    ["Nobody <>, ann@example.com", "ann@example.com"]
  ]) {
    it(`of ${header}`, () => assert.deepStrictEqual(addressesIn(header), expected))
  }

  it("are none without one", () => assert.deepStrictEqual(addressesIn(undefined), []))
})

describe("a message", () => {
  const to = (...people: ReadonlyArray<string>) => {
    const raw = compose({ to: people, cc: [], bcc: [], subject: "Hi" }, "Hello")
    return /^To: (.*)\r\nSubject: /s.exec(Buffer.from(raw, "base64url").toString())?.[1]
  }

  it("keeps a name in quotes, and encodes one beyond ASCII without them", () => {
    assert.strictEqual(to('"Lee, Ann" <ann@example.com>'), '"Lee, Ann" <ann@example.com>')
    const encoded = Buffer.from('Müller, "Änn"').toString("base64")
    assert.strictEqual(to(String.raw`"Müller, \"Änn\"" <ann@example.com>`), `=?UTF-8?B?${encoded}?= <ann@example.com>`)
  })
})
