import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Either, Redacted } from "effect"
import { readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Encryption } from "../../src/platform/Encryption.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64")

const configured = (settings: Record<string, string>) =>
  Effect.provide(Encryption, Encryption.layer).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings))))
  )

const withKeys = (keys: string) => configured({ ENCRYPTION_KEYS: keys })

const reason = (result: Either.Either<unknown, { readonly reason: string }>) =>
  Either.match(result, { onLeft: (failure) => failure.reason, onRight: () => "opened" })

describe("Encryption", () => {
  it.effect("opens what it sealed, whatever the text", () =>
    Effect.gen(function* () {
      const { decrypt, encrypt } = yield* withKeys(`a:${key(1)}`)
      for (const text of ["", "token", "🔑 مفتاح", "x".repeat(100_000)]) {
        assert.strictEqual(Redacted.value(yield* decrypt(yield* encrypt(Redacted.make(text), "row 1"), "row 1")), text)
      }
    })
  )

  it.effect("seals the same text differently each time, in a form that is safe in URLs", () =>
    Effect.gen(function* () {
      const { encrypt } = yield* withKeys(`a:${key(1)}`)
      const [one, two] = yield* Effect.all([encrypt("token", "row 1"), encrypt("token", "row 1")])
      assert.notStrictEqual(one, two)
      assert.match(one, /^a\.[A-Za-z0-9_-]+$/)
    })
  )

  it.effect("does not open a value in another place, or one that was changed", () =>
    Effect.gen(function* () {
      const { decrypt, encrypt } = yield* withKeys(`a:${key(1)}`)
      const sealed = yield* encrypt("token", "row 1")
      assert.strictEqual(reason(decrypt(sealed, "row 2")), "altered")
      const bytes = Buffer.from(sealed.slice(2), "base64url")
      for (let at = 0; at < bytes.length; at++) {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ 1
        assert.strictEqual(reason(decrypt(`a.${changed.toString("base64url")}`, "row 1")), "altered", `byte ${at}`)
      }
      for (const text of ["", "a", "a.", "a.AAAA", sealed.slice(2), `a.${"!".repeat(60)}`]) {
        assert.strictEqual(reason(decrypt(text, "row 1")), "malformed", text)
      }
    })
  )

  it.effect("opens with old keys, seals with the first, and tells which values to seal again", () =>
    Effect.gen(function* () {
      const before = yield* withKeys(`old:${key(1)}`)
      const during = yield* withKeys(`new:${key(2)}, old:${key(1)}`)
      const after = yield* withKeys(`new:${key(2)}`)
      const sealed = yield* before.encrypt("token", "row 1")
      assert.strictEqual(Redacted.value(yield* during.decrypt(sealed, "row 1")), "token")
      assert.notStrictEqual(sealed.split(".")[0], during.keys[0])
      const again = yield* during.encrypt("token", "row 1")
      assert.strictEqual(again.split(".")[0], during.keys[0])
      assert.strictEqual(reason(after.decrypt(again, "row 1")), "opened")
      assert.strictEqual(reason(after.decrypt(sealed, "row 1")), "unknown key")
    })
  )

  it.effect("derives a secret for each purpose, the same after a restart", () =>
    Effect.gen(function* () {
      const one = yield* withKeys(`a:${key(1)}`)
      const two = yield* withKeys(`a:${key(1)}`)
      assert.deepStrictEqual(Redacted.value(one.derive("x")), Redacted.value(two.derive("x")))
      assert.notDeepEqual(Redacted.value(one.derive("x")), Redacted.value(one.derive("y")))
      const later = yield* withKeys(`b:${key(2)},a:${key(1)}`)
      assert.notDeepEqual(Redacted.value(later.derive("x")), Redacted.value(one.derive("x")))
      assert.deepStrictEqual(Redacted.value(later.derive("x", "a")), Redacted.value(one.derive("x")))
    })
  )

  it.effect.each([`a:${key(1).slice(4)}`, key(1), "", `a:${key(1)},a:${key(2)}`, `a b:${key(1)}`])(
    "says what ENCRYPTION_KEYS should be, not what it is: %#",
    (keys) =>
      Effect.gen(function* () {
        const message = String(yield* Effect.flip(withKeys(keys)))
        assert.match(message, /ENCRYPTION_KEYS.*openssl rand -base64 32/)
        assert.notInclude(message, "AQEB")
      })
  )

  it.effect("asks for keys when the database is shared", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(configured({ DATABASE_URL: "postgres://127.0.0.1/db" }))
      assert.match(String(error), /ENCRYPTION_KEYS.*openssl rand -base64 32/)
    })
  )

  it.scoped("makes one key under DATA_DIR for all processes that start at once, readable by its user only", () =>
    Effect.gen(function* () {
      const directory = join(yield* TestDatabase.scratchDirectory, "data")
      const services = yield* Effect.all(
        Array.from({ length: 5 }, () => configured({ DATA_DIR: directory })),
        { concurrency: 5 }
      )
      const later = yield* configured({ DATA_DIR: directory })
      for (const service of services) {
        assert.strictEqual(reason(later.decrypt(yield* service.encrypt("token", "row 1"), "row 1")), "opened")
      }
      assert.deepStrictEqual(readdirSync(directory), ["encryption-keys"])
      assert.strictEqual(statSync(join(directory, "encryption-keys")).mode & 0o777, 0o600)
    })
  )

  it.scoped("does not replace a key file that it cannot read", () =>
    Effect.gen(function* () {
      const directory = yield* TestDatabase.scratchDirectory
      writeFileSync(join(directory, "encryption-keys"), "garbage")
      assert.match(String(yield* Effect.flip(configured({ DATA_DIR: directory }))), /encryption-keys.* to hold id:key/)
    })
  )
})
