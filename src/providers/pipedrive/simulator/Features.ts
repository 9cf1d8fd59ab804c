import type { Account } from "../../simulation/Account.ts"
import { isWithout } from "../../simulation/Features.ts"
import type { Feature } from "../../simulation/Simulator.ts"
import { gatewayFailure } from "./Gateway.ts"

// https://pipedrive.readme.io/docs/marketplace-scopes-and-permissions-explanations
// How it refuses: https://github.com/pipedrive/client-php/issues/14

const mismatch = gatewayFailure(403, "Scope and URL mismatch")

/** Scopes by the paths that they open. */
const paths: { readonly [scope: string]: RegExp } = {
  "leads:full": /\/v[12]\/leads(?:\/|$)/,
  "activities:full": /\/v[12]\/activit(?:ies|yTypes|yFields)(?:\/|$)/,
  "users:read": /\/v1\/users(?:\/(?!me$)|$)/
}

/** Scopes that an application may have been given since the end user consented. */
export const features: ReadonlyArray<Feature> = Object.entries(paths).map(([name, path]) => ({
  kind: "scope",
  name,
  refuse: (request) => (path.test(request.path) ? mismatch : undefined)
}))

const all = [
  "base",
  "deals:full",
  "contacts:full",
  "leads:full",
  "activities:full",
  "users:read",
  "webhooks:full",
  "admin"
]

export const scopesOf = (account: Account): ReadonlyArray<string> =>
  all.filter((name) => !isWithout(account, { kind: "scope", name }))
