import { Effect, Redacted } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import { type DecryptionFailed, Encryption } from "../platform/Encryption.ts"

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme */
const prefix = "whsec_"

/** A new secret: `whsec_` and 32 random bytes in base64. */
export const makeSecret = () => Redacted.make(prefix + randomBytes(32).toString("base64"))

/** Where a webhook's secrets belong. */
export const associatedDataOf = (id: string) => `webhooks/${id}`

/** Secrets of a webhook as they are stored: sealed together, the newest first. */
export const sealing = Effect.map(Encryption, (encryption) => ({
  seal: (id: string, secrets: ReadonlyArray<Redacted.Redacted>): Effect.Effect<string> =>
    encryption.encrypt(secrets.map(Redacted.value).join(" "), associatedDataOf(id)),

  open: (id: string, sealed: string): Effect.Effect<ReadonlyArray<Redacted.Redacted>, DecryptionFailed> =>
    Effect.map(encryption.decrypt(sealed, associatedDataOf(id)), (text) =>
      Redacted.value(text)
        .split(" ")
        .map((secret) => Redacted.make(secret))
    )
}))

/** Text that is signed: the id of the event, the seconds since 1970 at which it is sent, and the body. */
export interface Message {
  readonly id: string
  readonly timestamp: number
  readonly body: string
}

const signed = ({ body, id, timestamp }: Message, secret: Redacted.Redacted) => {
  const key = Buffer.from(Redacted.value(secret).slice(prefix.length), "base64")
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`
}

/** The headers of Standard Webhooks, signed with each of the secrets. */
export const headersOf = (message: Message, secrets: ReadonlyArray<Redacted.Redacted>) => ({
  "webhook-id": message.id,
  "webhook-timestamp": String(message.timestamp),
  "webhook-signature": secrets.map((secret) => signed(message, secret)).join(" ")
})
