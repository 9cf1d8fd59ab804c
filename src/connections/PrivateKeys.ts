import { Either } from "effect"
import { createPrivateKey, type KeyObject } from "node:crypto"
import type { KeyKinds } from "../providers/base/Authorization.ts"

/** A private key, with the name of the signatures that it makes (RFC 7518, section 3.1). */
export interface SigningKey {
  readonly key: KeyObject
  readonly algorithm: string
}

/** By OpenSSL's names of the curves. */
const curves: { readonly [name: string]: { readonly curve: KeyKinds["curves"][number]; readonly algorithm: string } } =
  {
    prime256v1: { curve: "P-256", algorithm: "ES256" },
    secp384r1: { curve: "P-384", algorithm: "ES384" },
    secp521r1: { curve: "P-521", algorithm: "ES512" }
  }

const block = /-----BEGIN ([A-Z0-9 ]+)-----([^-]+)-----END \1-----/g

/** Reads a private key in PEM, whatever its line breaks have become; what is wrong with it is said without repeating it. */
export const readPrivateKey = (text: string, kinds: KeyKinds): Either.Either<SigningKey, string> =>
  Either.gen(function* () {
    const blocks = [...text.matchAll(block)].map(([, label = "", body = ""]) => ({ label, body }))
    const found = blocks.find(({ label }) => label.endsWith("PRIVATE KEY"))
    if (found === undefined) return yield* Either.left(insteadOf(blocks.map(({ label }) => label)))
    if (found.label === "ENCRYPTED PRIVATE KEY" || found.body.includes("ENCRYPTED"))
      return yield* Either.left(encrypted)
    const body = found.body.replaceAll(/\\[rn]|\s/g, "")
    const key = yield* Either.try({
      try: () => createPrivateKey(`-----BEGIN ${found.label}-----\n${body}\n-----END ${found.label}-----\n`),
      // the library's own words may say what is in it
      catch: () => "cannot be read: copy the whole of it, from its BEGIN line to its END line"
    })
    return yield* signingKeyOf(key, kinds)
  })

const encrypted =
  "must not be encrypted: take its passphrase away first (openssl pkey -in encrypted.pem -out private.pem)"

const insteadOf = (labels: ReadonlyArray<string>) => {
  if (labels.some((label) => label.endsWith("PUBLIC KEY"))) return "must be the private key; this is the public one"
  return labels.includes("CERTIFICATE")
    ? "must be the private key; this is the certificate, which the provider gets"
    : "must be a private key in PEM: all of the text from -----BEGIN PRIVATE KEY----- to -----END PRIVATE KEY-----"
}

const signingKeyOf = (key: KeyObject, kinds: KeyKinds): Either.Either<SigningKey, string> => {
  const { asymmetricKeyDetails: { modulusLength = 0, namedCurve = "" } = {}, asymmetricKeyType: type = "unknown" } = key
  const ec = curves[namedCurve]
  if (type === "rsa" && kinds.bits.includes(modulusLength)) return Either.right({ key, algorithm: kinds.rsa })
  if (ec !== undefined && kinds.curves.includes(ec.curve)) return Either.right({ key, algorithm: ec.algorithm })
  const given = type === "rsa" ? `RSA of ${modulusLength} bits` : type === "ec" ? `EC ${ec?.curve ?? namedCurve}` : type
  const wanted = [`RSA of ${kinds.bits.join(" or ")} bits`, `EC ${kinds.curves.join(", ")}`]
  return Either.left(`must be another kind of key: ${wanted.join("; or ")}. This one is ${given}`)
}
