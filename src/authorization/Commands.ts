import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { json, print } from "../platform/Commands.ts"
import type { Environment } from "../tenancy/CurrentCaller.ts"
import { environment, organisation } from "../tenancy/Commands.ts"
import { Organisations } from "../tenancy/Organisations.ts"
import { SignInAddresses } from "./SignInAddresses.ts"

/** Whose address: an organisation by its id or name, and one of its environments. */
const tenant = (given: { readonly organisation: string; readonly environment: Environment }) =>
  Effect.gen(function* () {
    const { id } = yield* (yield* Organisations).find(given.organisation)
    return { organisation: id, environment: given.environment }
  })

export const showSignIn = Command.make("show", { organisation, environment, json }, (given) =>
  print(
    Effect.gen(function* () {
      const url = yield* (yield* SignInAddresses).find(yield* tenant(given))
      return { url: Option.getOrNull(url) }
    })
  )
).pipe(Command.withDescription("Show where an organisation's application says who an end user is"))

export const setSignIn = Command.make(
  "set",
  {
    organisation,
    environment,
    url: Options.text("url").pipe(Options.withDescription("A page of the organisation's application, by https")),
    json
  },
  (given) =>
    print(
      Effect.gen(function* () {
        return { url: yield* (yield* SignInAddresses).set(yield* tenant(given), given.url) }
      })
    )
).pipe(Command.withDescription("Set where an organisation's application says who an end user is"))

export const removeSignIn = Command.make("remove", { organisation, environment, json }, (given) =>
  print(
    Effect.gen(function* () {
      yield* (yield* SignInAddresses).remove(yield* tenant(given))
      return { url: null }
    })
  )
).pipe(Command.withDescription("Remove that address"))
