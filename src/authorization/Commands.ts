import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { json, print } from "../platform/Commands.ts"
import { environment, organisation, tenantOf } from "../tenancy/Commands.ts"
import { SignInAddresses } from "./SignInAddresses.ts"

export const showSignIn = Command.make("show", { organisation, environment, json }, (given) =>
  print(
    Effect.gen(function* () {
      const url = yield* (yield* SignInAddresses).find(yield* tenantOf(given))
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
        return { url: yield* (yield* SignInAddresses).set(yield* tenantOf(given), given.url) }
      })
    )
).pipe(Command.withDescription("Set where an organisation's application says who an end user is"))

export const removeSignIn = Command.make("remove", { organisation, environment, json }, (given) =>
  print(
    Effect.gen(function* () {
      yield* (yield* SignInAddresses).remove(yield* tenantOf(given))
      return { url: null }
    })
  )
).pipe(Command.withDescription("Remove that address"))
