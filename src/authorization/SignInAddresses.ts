import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { isLoopback } from "../platform/Address.ts"
import { Unprocessable } from "../platform/Errors.ts"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"

/** Where organisations' own applications say who an end user is: one address for each environment. */
export class SignInAddresses extends Context.Tag("tributary/authorization/SignInAddresses")<
  SignInAddresses,
  {
    readonly find: (tenant: Tenant) => Effect.Effect<Option.Option<string>>
    /** Gives the address as it is kept. */
    readonly set: (tenant: Tenant, url: string) => Effect.Effect<string, Unprocessable>
    readonly remove: (tenant: Tenant) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    SignInAddresses,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const within = ({ environment, organisation }: Tenant) =>
        sql`organisation_id = ${organisation} and environment = ${environment}`

      const read = SqlSchema.findOne({
        Request: Schema.Struct({ organisation: Schema.String, environment: Environment }),
        Result: Schema.Struct({ url: Schema.String }),
        execute: (tenant) => sql`select url from sign_in_addresses where ${within(tenant)}`
      })

      return SignInAddresses.of({
        find: Effect.fn("SignInAddresses.find")(
          ({ environment, organisation }) =>
            Effect.map(
              read({ organisation, environment }),
              Option.map(({ url }) => url)
            ),
          Effect.orDie
        ),

        set: Effect.fn("SignInAddresses.set")(
          function* (tenant, given) {
            const url = addressOf(tenant.environment, given)
            if (url === undefined) return yield* new Unprocessable({ errors: { url: expected[tenant.environment] } })
            yield* sql`
              insert into sign_in_addresses (organisation_id, environment, url)
              values (${tenant.organisation}, ${tenant.environment}, ${url})
              on conflict (organisation_id, environment) do update set url = excluded.url, updated_at = now()`
            return url
          },
          Effect.catchTag("SqlError", Effect.die)
        ),

        remove: Effect.fn("SignInAddresses.remove")(
          (tenant) => sql`delete from sign_in_addresses where ${within(tenant)}`,
          Effect.orDie,
          Effect.asVoid
        )
      })
    })
  )
}

/** Where a browser is sent to hear who its user is. */
export const withChallenge = (address: string, challenge: string) => {
  const url = new URL(address)
  url.searchParams.set("challenge", challenge)
  return url.href
}

/** An address that browsers may be sent to with a challenge, which must not be read on its way. */
const addressOf = (environment: Environment, given: string) => {
  if (given.length > 2000 || !URL.canParse(given)) return undefined
  const url = new URL(given)
  const isSafe =
    url.protocol === "https:" || (environment === "sandbox" && url.protocol === "http:" && isLoopback(url.hostname))
  const isPlain = url.username === "" && url.password === "" && url.hash === "" && !url.searchParams.has("challenge")
  return isSafe && isPlain ? url.href : undefined
}

const rest = "without a user, a fragment or a challenge of its own"

const expected = {
  sandbox: `must be an https:// address ${rest}, or in the sandbox http:// on this machine`,
  production: `must be an https:// address ${rest}`
} as const
