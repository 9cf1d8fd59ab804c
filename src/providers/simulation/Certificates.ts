import { Effect, Redacted } from "effect"
import { constants, createPublicKey, generateKeyPairSync, verify } from "node:crypto"
import type { Account, Doc } from "./Account.ts"
import { SimulationStore } from "./SimulationStore.ts"
import { type Reply, type Simulator, tokens } from "./Simulator.ts"

/** Certificates of simulated accounts, by their ids: `<account>.<random>`. */
const certificates = "oauth_certificate"

/** Gives an account's certificate to its provider: the client that may sign with its private key. */
export const mapCertificate = (account: Account, clientId: string, publicKey: string): string => {
  const certificateId = `${account.name}.cert${account.nextId()}-${crypto.randomUUID()}`
  account.put(certificates, certificateId, { clientId, publicKey })
  return certificateId
}

/** Makes the simulated account, if there is none of that name, and a certificate that opens it. `owner`: UUID of an end user. */
export const certify = (simulator: Simulator, account: string, owner?: string) =>
  Effect.gen(function* () {
    const { privateKey, publicKey } = generateKeyPairSync("ec", {
      namedCurve: "P-256",
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" }
    })
    const clientId = crypto.randomUUID().replaceAll("-", "")
    const store = yield* SimulationStore
    const certificateId = yield* store.make(
      simulator.slug,
      account,
      (held) => mapCertificate(held, clientId, publicKey),
      owner
    )
    return { clientId, certificateId, privateKey: Redacted.make(privateKey) }
  })

/** Makes every token and certificate of an account worthless, as when its owner takes consent back. */
export const takeAllBack = (account: Account): void => {
  for (const type of [tokens, certificates]) for (const [id] of account.entries(type)) account.remove(type, id)
}

interface Assertion {
  readonly header: Doc
  readonly claims: Doc
  readonly signed: string
  readonly signature: Buffer
}

const isDoc = (value: unknown): value is Doc => typeof value === "object" && value !== null && !Array.isArray(value)

const jsonOf = (part: string): Doc => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"))
    return isDoc(value) ? value : {}
  } catch {
    return {}
  }
}

const assertionIn = (token: string): Assertion | undefined => {
  const [header, claims, signature, ...more] = token.split(".")
  if (header === undefined || claims === undefined || signature === undefined || more.length > 0) return undefined
  return {
    header: jsonOf(header),
    claims: jsonOf(claims),
    signed: `${header}.${claims}`,
    signature: Buffer.from(signature, "base64url")
  }
}

/** The certificate that a token request is signed for, which leads to its account. */
export const certificateIn = (form: URLSearchParams): string | undefined => {
  const id = assertionIn(form.get("client_assertion") ?? "")?.header["kid"]
  return typeof id === "string" ? id : undefined
}

/** Signatures by their names (RFC 7518, section 3.1): a salt is as long as the digest, and an EC signature two numbers. */
const digests = { 256: "sha256", 384: "sha384", 512: "sha512" } as const

const isSignedBy = ({ header, signature, signed }: Assertion, pem: string): boolean => {
  const [, family, size] = /^(PS|ES)(256|384|512)$/.exec(String(header["alg"])) ?? []
  const key = createPublicKey(pem)
  const digest = size === "256" ? digests[256] : size === "384" ? digests[384] : digests[512]
  if (family === undefined || key.asymmetricKeyType !== (family === "PS" ? "rsa" : "ec")) return false
  const how =
    family === "PS"
      ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
      : { key, dsaEncoding: "ieee-p1363" as const }
  return verify(digest, Buffer.from(signed), how, signature)
}

/** The part of a client assertion that is wrong: its form, the client that it names, or what that client claims. */
export type AssertionComplaint = "request" | "client" | "claims"

/** Which client assertions a provider takes. */
export interface AssertionRules {
  /** The address that must stand in `aud`. */
  readonly audience: (account: Account) => string
  /** Seconds between `iat` and `exp`. */
  readonly longest: number
  readonly scope: RegExp
  readonly refuse: (complaint: AssertionComplaint) => Reply
}

/** A minute is given for clocks that differ. */
const leeway = 60

const isInTime = ({ exp, iat }: Doc, now: number, longest: number) =>
  typeof exp === "number" && typeof iat === "number" && exp > now && exp - iat <= longest && iat <= now + leeway

const scopesOf = ({ scope }: Doc) => (Array.isArray(scope) ? scope.map(String) : String(scope).split(/,\s*/))

/** The refusal of a token request whose assertion is wrong; undefined when it is right. */
export const refusedAssertion = (rules: AssertionRules, form: URLSearchParams, account: Account): Reply | undefined => {
  const assertion = assertionIn(form.get("client_assertion") ?? "")
  const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
  if (assertion === undefined || form.get("client_assertion_type") !== type) return rules.refuse("request")
  const { claims, header } = assertion
  const held = account.get(certificates, String(header["kid"]))
  if (held === undefined || held["clientId"] !== claims["iss"]) return rules.refuse("client")
  const isRight =
    isSignedBy(assertion, String(held["publicKey"])) &&
    isInTime(claims, account.now / 1000, rules.longest) &&
    claims["aud"] === rules.audience(account) &&
    scopesOf(claims).every((scope) => rules.scope.test(scope))
  return isRight ? undefined : rules.refuse("claims")
}
