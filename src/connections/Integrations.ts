import { Context, Effect, Layer } from "effect"
import type { Category } from "../canonical/Resource.ts"
import type { Authorization, OAuth2 } from "../providers/base/Authorization.ts"
import { Providers } from "../providers/Providers.ts"
import { Toolkits } from "../toolkits/Toolkits.ts"
import type { Kind } from "./StoredCredentials.ts"

/** A provider of records, or a toolkit, that an end user can connect. */
export interface Integration {
  readonly slug: string
  readonly name: string
  readonly category: Category | "toolkit"
  /** The way to connect it, or the recommended one of two. */
  readonly authorization: Authorization
  /** The way by the end user's consent, if one of them is. */
  readonly consent: OAuth2 | undefined
}

/** The ways to connect an integration, the recommended one first. */
export const waysOf = ({ authorization, consent }: Pick<Integration, "authorization" | "consent">) =>
  consent === undefined || consent === authorization ? [authorization] : [authorization, consent]

/** The way that takes credentials of a kind. */
export const wayOf = (integration: Integration, kind: Kind) =>
  waysOf(integration).find((way) => kindOf[way.kind] === kind)

/** The kinds of credentials that an integration takes. */
export const kindsOf = (integration: Integration) => waysOf(integration).map((way) => kindOf[way.kind])

/** The secret in credentials of each kind of authorisation. */
const kindOf = {
  oauth2: "accessToken",
  certificate: "privateKey",
  key: "apiKey",
  connectionString: "connectionString"
} as const satisfies Record<Authorization["kind"], Kind>

/** Every integration of this application, by slug. */
export class Integrations extends Context.Tag("tributary/connections/Integrations")<
  Integrations,
  {
    readonly get: (slug: string) => Integration | undefined
    readonly all: () => ReadonlyArray<Integration>
  }
>() {
  static readonly layer = Layer.effect(
    Integrations,
    Effect.gen(function* () {
      const providers = yield* Providers
      const toolkits = yield* Toolkits
      const all = (): ReadonlyArray<Integration> =>
        [
          ...providers.all(),
          ...toolkits.all().map((toolkit) => ({ ...toolkit, category: "toolkit" as const, consent: undefined }))
        ].map(({ authorization, category, consent, name, slug }) => ({
          slug,
          name,
          category,
          authorization,
          consent: authorization.kind === "oauth2" ? authorization : consent
        }))
      return { all, get: (slug) => all().find((one) => one.slug === slug) }
    })
  )
}
