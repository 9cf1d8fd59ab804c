import type { HttpClientRequest } from "@effect/platform"
import { Redacted, RegExp, Stream } from "effect"
import type { CredentialValues } from "../Credentials.ts"
import { Invalid, type Reason } from "../ProviderError.ts"

type Hide = (words: string) => string

/** A provider's words without the connection's secret, should they quote it, as it is or as the request carried it. */
export const hiding = ({ secret }: CredentialValues, { headers }: HttpClientRequest.HttpClientRequest): Hide => {
  const sent = headers.authorization?.split(" ").at(-1) ?? ""
  const secrets = [Redacted.value(secret), sent].filter((one) => one !== "").sort((a, b) => b.length - a.length)
  if (secrets.length === 0) return (words) => words
  // in one pass, since a secret may be a part of the mask
  const pattern = new globalThis.RegExp(secrets.map(RegExp.escape).join("|"), "g")
  return (words) => words.replace(pattern, "[redacted]")
}

export const withoutSecret = (reason: Reason, hide: Hide): Reason =>
  reason._tag === "Invalid"
    ? new Invalid({
        ...reason,
        fields: Object.fromEntries(Object.entries(reason.fields).map(([name, words]) => [name, hide(words)]))
      })
    : reason

/** A refusal as it came in; unpacked, where it quotes the secret and what is left of it is handed on. */
export const withoutSecretIn = (
  { "content-encoding": coding, "content-length": _, ...headers }: { readonly [name: string]: string | undefined },
  bytes: Uint8Array,
  text: string,
  hide: Hide
) => {
  const words = hide(text)
  return words === text
    ? { headers: { ...headers, "content-encoding": coding }, content: Stream.make(bytes) }
    : { headers, content: Stream.make<[Uint8Array]>(Buffer.from(words)) }
}
