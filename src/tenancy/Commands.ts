import { Args, Command, Options } from "@effect/cli"
import { Effect, Option, Redacted, Schema } from "effect"
import { json, print } from "../platform/Commands.ts"
import { AllowedOrigins } from "./AllowedOrigins.ts"
import { KeyExpiry, KeyName } from "./Api.ts"
import { ApiKeys } from "./ApiKeys.ts"
import type { Environment } from "./CurrentCaller.ts"
import { Organisations } from "./Organisations.ts"
import { Scope, scopes } from "./Scopes.ts"

/** `--organisation`: an id or a name. */
export const organisation = Options.text("organisation").pipe(Options.withDescription("Id or name of an organisation"))

const environments: ReadonlyMap<string, Environment> = new Map([
  ["sandbox", "sandbox"],
  ["live", "production"],
  ["production", "production"]
])

/** `--environment`: what answers call `production` is also `live` here, as in the keys' prefix. */
export const environment = Options.text("environment").pipe(
  Options.filterMap((name) => Option.fromNullable(environments.get(name)), "--environment must be sandbox or live"),
  Options.withDescription("Which data: the sandbox's (sandbox) or real (live)")
)

/** An organisation by its id or name, and one of its environments. */
export const tenantOf = (given: { readonly organisation: string; readonly environment: Environment }) =>
  Effect.map(find(given.organisation), ({ id }) => ({ organisation: id, environment: given.environment }))

const find = (idOrName: string) => Effect.flatMap(Organisations, (organisations) => organisations.find(idOrName))

export const createOrganisation = Command.make(
  "create",
  { name: Options.text("name").pipe(Options.withDescription("Its name, not used by another")), json },
  ({ name }) => print(Effect.flatMap(Organisations, (organisations) => organisations.create(name)))
).pipe(Command.withDescription("Create an organisation"))

export const listOrganisations = Command.make("list", { json }, () =>
  print(Effect.flatMap(Organisations, (organisations) => organisations.list))
).pipe(Command.withDescription("List the organisations, by name"))

const origins = (name: string, description: string) =>
  Options.text(name).pipe(Options.repeated, Options.withDescription(description))

export const updateOrganisation = Command.make(
  "update",
  {
    organisation,
    allow: origins("allow-origin", "Let pages of this origin embed the connection widget; may be given several times"),
    disallow: origins("disallow-origin", "No longer let pages of this origin do so; may be given several times"),
    json
  },
  ({ allow, disallow, organisation }) =>
    print(
      Effect.gen(function* () {
        const { id } = yield* find(organisation)
        return yield* (yield* Organisations).changeOrigins(id, { allow, disallow })
      })
    )
).pipe(Command.withDescription("Change an organisation"))

export const showOrigins = Command.make("show", { organisation, environment, json }, (given) =>
  print(
    Effect.gen(function* () {
      return yield* (yield* AllowedOrigins).find(yield* tenantOf(given))
    })
  )
).pipe(Command.withDescription("Show the origins that an organisation allows in an environment"))

export const setOrigins = Command.make(
  "set",
  {
    organisation,
    environment,
    origin: origins("origin", "Let pages of this origin, such as https://app.example.com; may be given several times"),
    json
  },
  ({ origin, ...given }) =>
    print(
      Effect.gen(function* () {
        return yield* (yield* AllowedOrigins).set(yield* tenantOf(given), origin)
      })
    )
).pipe(Command.withDescription("Replace the origins that an organisation allows in an environment; without any: none"))

const keyName = Options.text("name").pipe(
  Options.withSchema(KeyName),
  Options.withDescription("What uses the key, for people"),
  Options.optional
)

const keyScopes = Options.text("scope").pipe(
  Options.withDescription(`One of ${scopes.join(", ")}; may be given several times. Without it: all, also later ones`),
  Options.repeated,
  Options.map((given): ReadonlyArray<string> => given),
  Options.withSchema(Schema.Array(Scope))
)

const keyExpiry = Options.text("expires").pipe(
  Options.withSchema(KeyExpiry),
  Options.withDescription("When it expires, such as 2027-01-31T09:30:00Z; without it: never"),
  Options.optional
)

export const createKey = Command.make(
  "create",
  { organisation, environment, name: keyName, scope: keyScopes, expires: keyExpiry, json },
  ({ environment, expires, name, organisation, scope }) =>
    print(
      Effect.gen(function* () {
        const { id } = yield* find(organisation)
        const made = yield* (yield* ApiKeys).create(id, environment, {
          name: Option.getOrUndefined(name),
          scopes: scope.length === 0 ? undefined : scope,
          expiresAt: Option.getOrUndefined(expires)
        })
        return {
          id: made.id,
          key: Redacted.value(made.key),
          prefix: made.prefix,
          environment: made.environment,
          name: made.name,
          scopes: made.scopes,
          expiresAt: made.expiresAt
        }
      })
    )
).pipe(Command.withDescription("Create an API key; it is shown this once"))

export const listKeys = Command.make("list", { organisation, json }, ({ organisation }) =>
  print(
    Effect.gen(function* () {
      const { id } = yield* find(organisation)
      return yield* (yield* ApiKeys).list(id)
    })
  )
).pipe(Command.withDescription("List an organisation's API keys, newest first"))

export const revokeKey = Command.make(
  "revoke",
  { id: Args.text({ name: "id" }).pipe(Args.withDescription("Id of the key")), json },
  ({ id }) => print(Effect.flatMap(ApiKeys, (keys) => keys.revoke(id)))
).pipe(Command.withDescription("Revoke an API key, and the keys that were made with it, for good"))
