import { Array, Config, ConfigError, Context, Effect, Either, Layer, Option, Redacted, Schema } from "effect"
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from "node:crypto"
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import * as Database from "./Database.ts"
import * as DataDirectory from "./DataDirectory.ts"

/** The value was not sealed with one of our keys for this place, or was changed since. Reveals nothing of its content. */
export class DecryptionFailed extends Schema.TaggedError<DecryptionFailed>()("DecryptionFailed", {
  reason: Schema.Literal("malformed", "unknown key", "altered"),
  /** Id of the key that it was sealed with, if it names one. */
  key: Schema.String
}) {
  override get message() {
    return this.reason === "unknown key"
      ? `The value is encrypted with the key "${this.key}", which ENCRYPTION_KEYS lacks: put it back behind the first one.`
      : `The value cannot be decrypted (${this.reason}).`
  }
}

/** Whether decryption failed because the operator removed the key. */
export const isKeyMissing = (error: unknown): error is DecryptionFailed =>
  error instanceof DecryptionFailed && error.reason === "unknown key"

/**
 * Seals secrets with AES-256-GCM. A sealed value is printable and safe in URLs:
 * `<key id>.<base64url of nonce (12 bytes), ciphertext and tag (16 bytes)>`.
 *
 * `associatedData` says where the value belongs (the table and the row's identity, or the query that a cursor is bound to).
 * It is not in the sealed value, and a value that was moved elsewhere does not open.
 */
export class Encryption extends Context.Tag("tributary/platform/Encryption")<
  Encryption,
  {
    readonly encrypt: (plaintext: string | Redacted.Redacted, associatedData: string) => Effect.Effect<string>
    readonly decrypt: (sealed: string, associatedData: string) => Either.Either<Redacted.Redacted, DecryptionFailed>
    /** Ids of the keys. The first seals, all open. */
    readonly keys: Array.NonEmptyReadonlyArray<string>
    /**
     * Derives 32 bytes for an HMAC or the like, the same for a purpose as long as the first key, or the named one, stays.
     */
    readonly derive: (purpose: string, key?: string) => Redacted.Redacted<Uint8Array>
  }
>() {
  /**
   * Keys from `ENCRYPTION_KEYS` (`id:base64,id2:base64`: the first seals, all open). Without it, and on the embedded
   * database, a key generated once under `DATA_DIR`.
   */
  static readonly layer = Layer.effect(
    Encryption,
    Effect.gen(function* () {
      const configured = yield* Config.option(Config.redacted("ENCRYPTION_KEYS"))
      if (Option.isSome(configured)) {
        const invalid = ConfigError.InvalidData(["ENCRYPTION_KEYS"], `Expected ${format}; every id once`)
        return make(yield* parse(configured.value, invalid))
      }
      if (Option.isSome(yield* Database.url)) {
        const expected = `Expected ${format}; the same for every instance that shares DATABASE_URL`
        return yield* Effect.fail(ConfigError.MissingData(["ENCRYPTION_KEYS"], expected))
      }
      return make(yield* generated)
    })
  )

  /** With a key of its own. */
  static readonly layerTest = Layer.sync(Encryption, () => make([{ id: "test", secret: randomBytes(32) }]))
}

interface Key {
  readonly id: string
  readonly secret: Uint8Array
}

const algorithm = "aes-256-gcm"
const nonceBytes = 12
const tagBytes = 16
const keyBytes = 32

const sealedForm = /^([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/
const keyForm = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=?)$/
const format = `id:key, or several separated by commas, each key from \`openssl rand -base64 ${keyBytes}\``

const make = (keys: Array.NonEmptyReadonlyArray<Key>): Encryption["Type"] => {
  const byId = new Map(keys.map((key) => [key.id, key]))
  const first = keys[0]

  return {
    encrypt: (plaintext, associatedData) =>
      Effect.sync(() => {
        const nonce = randomBytes(nonceBytes)
        const cipher = createCipheriv(algorithm, first.secret, nonce).setAAD(Buffer.from(associatedData))
        const text = Redacted.isRedacted(plaintext) ? Redacted.value(plaintext) : plaintext
        const bytes = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]
        return `${first.id}.${Buffer.concat(bytes).toString("base64url")}`
      }),

    decrypt: (sealed, associatedData) => {
      const [, id = "", encoded = ""] = sealedForm.exec(sealed) ?? []
      const bytes = Buffer.from(encoded, "base64url")
      if (bytes.length < nonceBytes + tagBytes)
        return Either.left(new DecryptionFailed({ reason: "malformed", key: id }))
      const key = byId.get(id)
      if (key === undefined) return Either.left(new DecryptionFailed({ reason: "unknown key", key: id }))
      return Either.try({
        try: () => {
          const decipher = createDecipheriv(algorithm, key.secret, bytes.subarray(0, nonceBytes))
            .setAAD(Buffer.from(associatedData))
            .setAuthTag(bytes.subarray(-tagBytes))
          const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()])
          return Redacted.make(text.toString("utf8"))
        },
        catch: () => new DecryptionFailed({ reason: "altered", key: id })
      })
    },

    keys: Array.map(keys, ({ id }) => id),

    derive: (purpose, key = first.id) =>
      Redacted.make(new Uint8Array(hkdfSync("sha256", (byId.get(key) ?? first).secret, "", purpose, 32)))
  }
}

const parse = (keys: Redacted.Redacted, invalid: ConfigError.ConfigError) => {
  const parsed = Redacted.value(keys)
    .trim()
    .split(",")
    .map((entry) => {
      const [, id = "", encoded = ""] = keyForm.exec(entry.trim()) ?? []
      return { id, secret: Buffer.from(encoded, "base64") }
    })
  const distinct = new Set(parsed.map((key) => key.id)).size === parsed.length
  return distinct && Array.isNonEmptyArray(parsed) && parsed.every((key) => key.secret.length === keyBytes)
    ? Effect.succeed(parsed)
    : Effect.fail(invalid)
}

/** Creates the file by linking, which fails if it exists: of several processes that start at once, one makes all of it. */
const createKeyFile = (file: string) => {
  const mine = `${file}.${randomUUID()}`
  const descriptor = openSync(mine, "wx", 0o600)
  try {
    writeSync(descriptor, `local:${randomBytes(keyBytes).toString("base64")}\n`)
    fsyncSync(descriptor)
    linkSync(mine, file)
  } finally {
    closeSync(descriptor)
    rmSync(mine)
  }
}

/** The keys in a file under `DATA_DIR`, in the form of `ENCRYPTION_KEYS`; created if it does not exist. */
const generated = Effect.gen(function* () {
  const file = join(yield* DataDirectory.make, "encryption-keys")
  const invalid = ConfigError.InvalidData(["DATA_DIR"], `Expected the file "${file}" to hold ${format}`)
  const read = Effect.try({ try: () => Redacted.make(readFileSync(file, "utf8")), catch: () => invalid })
  const content = yield* Effect.orElse(read, () =>
    // any failure shows again when the file is read
    Effect.zipRight(Effect.ignore(Effect.try(() => createKeyFile(file))), read)
  )
  return yield* parse(content, invalid)
})
