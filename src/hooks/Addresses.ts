import { Effect, Redacted } from "effect"
import { createHmac } from "node:crypto"
import * as Address from "../platform/Address.ts"
import { Encryption } from "../platform/Encryption.ts"
import type { Environment } from "../providers/ConnectionRef.ts"
import { isSame } from "../providers/Push.ts"

const environments = ["production", "sandbox"] as const satisfies ReadonlyArray<Environment>

/** 43 characters that nobody can guess who has not the key. */
export const mac = (key: Redacted.Redacted<Uint8Array | string>, text: string): string =>
  createHmac("sha256", Redacted.value(key)).update(text).digest("base64url")

/**
 * Where providers push to: `{PUBLIC_URL}/hooks/{provider}/{secret}`. The secret of an application's address is made of the keys
 * that encrypt what is stored, so nothing keeps it; addresses of older keys are good as long as those are there.
 */
export const makeAddresses = Effect.gen(function* () {
  const encryption = yield* Encryption
  const publicUrl = yield* Address.publicUrl
  const secretOf = (environment: Environment, slug: string, key?: string) =>
    mac(encryption.derive("hook addresses", key), `${environment}/${slug}`)
  const to = (slug: string, secret: string) => `${publicUrl}/hooks/${slug}/${secret}`
  return {
    to,
    ofApplication: (environment: Environment, slug: string) => to(slug, secretOf(environment, slug)),
    /** The environment whose address of an application ends in a secret; undefined where none does. */
    environmentOf: (slug: string, secret: string) =>
      environments.find((environment) =>
        encryption.keys.some((key) => isSame(secret, secretOf(environment, slug, key)))
      ),
    /** Secret that simulators sign with. */
    sandboxSecret: (slug: string) => Redacted.make(mac(encryption.derive("hook signatures of the sandbox"), slug)),
    /** The address as a provider called it. */
    calledAs: (target: string) => publicUrl + target
  }
})
