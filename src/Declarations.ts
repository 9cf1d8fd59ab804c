import { Reactivity } from "@effect/experimental"
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { type Parts, registered } from "./Parts.ts"
import { Budget } from "./providers/base/Budget.ts"
import { Upstream } from "./providers/base/Upstream.ts"
import { Credentials } from "./providers/Credentials.ts"
import { KeptValues } from "./providers/KeptValues.ts"
import { Providers } from "./providers/Providers.ts"
import { Toolkits } from "./toolkits/Toolkits.ts"

const nothing = Effect.dieMessage("what only declares itself was put to use")

const foundation = Layer.mergeAll(
  Providers.layer,
  Toolkits.layer,
  Layer.mock(Upstream, { caller: () => Effect.succeed(() => nothing) }),
  Layer.mock(Budget, { take: () => 0 }),
  Layer.mock(Credentials, {}),
  KeptValues.layerMemory,
  Layer.effect(
    SqlClient.SqlClient,
    SqlClient.make({ acquirer: nothing, compiler: PgClient.makeCompiler(), spanAttributes: [] })
  ).pipe(Layer.provide(Reactivity.layer))
)

/** The providers of some parts, for what they declare: they need no database, and can call nobody. */
export const declarations = ({ providers = [] }: Parts) => Layer.provideMerge(registered({ providers }), foundation)
