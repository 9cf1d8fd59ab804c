import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { json, print } from "../platform/Commands.ts"
import { Providers } from "../providers/Providers.ts"
import { makeAddresses } from "./Addresses.ts"
import { signingSecret, variableOf } from "./Hooks.ts"

/** `hooks list`: what the operator registers at providers. */
export const listHooks = Command.make("list", { json }, () =>
  print(
    Effect.gen(function* () {
      const providers = yield* Providers
      const addresses = yield* makeAddresses
      return yield* Effect.forEach(
        providers.all().flatMap(({ push, slug }) => (push?.kind === "application" ? [{ push, slug }] : [])),
        ({ push, slug }) =>
          Effect.map(signingSecret(slug, push), (secret) => ({
            provider: slug,
            address: addresses.ofApplication("production", slug),
            secret: variableOf(slug),
            isSet: Option.isSome(secret)
          }))
      )
    })
  )
).pipe(Command.withDescription("Print the addresses to register at providers whose applications are told of changes"))
