import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Either, Layer, Redacted } from "effect"
import { parse } from "../../src/toolkits/postgres/ConnectionString.ts"
import { Dialer } from "../../src/platform/Dialer.ts"

const dialer = (allowed?: string) =>
  Layer.provide(
    Dialer.layer,
    Layer.setConfigProvider(
      ConfigProvider.fromMap(new Map(allowed === undefined ? [] : [["ALLOW_PRIVATE_HOSTS", allowed]]))
    )
  )

const resolve = (host: string, allowed?: string) =>
  Effect.flatMap(Dialer, (one) => one.resolve(host)).pipe(Effect.provide(dialer(allowed)))

/** Ways to write addresses that a stranger has no business with. */
const inside = [
  "localhost",
  "LOCALHOST",
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f.1",
  "0x7f000001",
  "0177.0.0.1",
  "127.0.0.1.",
  "①②⑦.0.0.1",
  "0.0.0.0",
  "0",
  "10.1.2.3",
  "100.100.100.200",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.10",
  "192.0.2.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[2001::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "[fec0::1]",
  "[ff02::1]"
]

/** Strings that are no hosts. */
const noHosts = ["", "a b", "[::1", "%2Fvar%2Frun", "/var/run/postgresql", "[fe80::1%25eth0]"]

describe("Dialer", () => {
  for (const host of inside) {
    it.effect(`refuses ${host}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(resolve(host))
        assert.strictEqual(error._tag, "HostRefused")
        assert.include(error.message, "private network")
      })
    )
  }

  it.effect("refuses what is not a host", () =>
    Effect.forEach(noHosts, (host) =>
      Effect.map(Effect.either(resolve(host)), (found) => assert.isTrue(Either.isLeft(found), host))
    )
  )

  it.effect("gives the address of public hosts", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* resolve("8.8.8.8"), "8.8.8.8")
      assert.strictEqual(yield* resolve("0x08080808"), "8.8.8.8")
      assert.strictEqual(yield* resolve("[2606:4700::1111]"), "2606:4700::1111")
      assert.strictEqual(yield* resolve("172.32.0.1"), "172.32.0.1")
    })
  )

  it.effect("goes where the operator allows, but never to a cloud's metadata", () =>
    Effect.gen(function* () {
      const allowed = "127.0.0.0/8, 192.168.1.20,::1"
      assert.strictEqual(yield* resolve("0x7f.1", allowed), "127.0.0.1")
      assert.strictEqual(yield* resolve("192.168.1.20", allowed), "192.168.1.20")
      assert.include(["127.0.0.1", "::1"], yield* resolve("localhost", allowed))
      for (const host of ["192.168.1.21", "10.0.0.1", "[fe80::1]"]) {
        assert.strictEqual((yield* Effect.flip(resolve(host, allowed)))._tag, "HostRefused", host)
      }
      for (const host of ["169.254.169.254", "[::ffff:169.254.169.254]", "[fd00:ec2::254]"]) {
        assert.strictEqual((yield* Effect.flip(resolve(host, "0.0.0.0/0,::/0")))._tag, "HostRefused", host)
      }
    })
  )

  it.effect("names the setting that is wrong", () =>
    Effect.gen(function* () {
      for (const wrong of ["10.0.0.0/33", "example.com", "10.0.0.0/8/9", "10.0.0.0/"]) {
        const error = yield* Effect.flip(Effect.provide(Dialer, dialer(wrong)))
        assert.include(String(error), "ALLOW_PRIVATE_HOSTS", wrong)
      }
    })
  )
})

describe("connection strings", () => {
  const read = (text: string) => parse(Redacted.make(text))

  it("say everything that is needed", () => {
    const target = Either.getOrThrow(
      read("postgresql://ann:p%40ss%2Fword@db.example.com/sales?sslmode=require&channel_binding=require")
    )
    assert.deepStrictEqual(
      { ...target, password: Redacted.value(target.password) },
      { host: "db.example.com", port: 5432, database: "sales", user: "ann", password: "p@ss/word", tls: "require" }
    )
    assert.strictEqual(Either.getOrThrow(read("postgres://a:b@[2606:4700::1111]:6543/c")).host, "[2606:4700::1111]")
    assert.strictEqual(Either.getOrThrow(read("postgres://a:b@h/c")).tls, "verify-full")
  })

  it("are refused without repeating them when something is missing or unknown", () => {
    const wrong = [
      "mysql://a:hush@h/c",
      "host=h user=a password=hush",
      "postgresql://h/c",
      "postgresql://a@h/c",
      "postgresql://:hush@h/c",
      "postgresql://a:hush@h",
      "postgresql:///c",
      "postgresql://a:hush@h/c?host=/var/run/postgresql",
      "postgresql://a:hush@h/c?hostaddr=127.0.0.1",
      "postgresql://a:hush@h/c?options=-c%20statement_timeout%3D0",
      "postgresql://a:hush@h/c?sslmode=prefer",
      "postgresql://a:hush@h:22/c",
      "postgresql://a:hu/sh@h/c",
      "postgresql://a:hush@h1,h2/c/d"
    ]
    for (const text of wrong) {
      const found = read(text)
      if (Either.isRight(found)) assert.fail(`${text} is taken`)
      assert.match(found.left, /^(must|may)/)
      assert.notInclude(found.left, "hush")
    }
  })
})
