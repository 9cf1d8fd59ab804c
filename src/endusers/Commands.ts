import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { json, print } from "../platform/Commands.ts"
import { Conflict } from "../platform/Errors.ts"
import { organisation } from "../tenancy/Commands.ts"
import { Organisations } from "../tenancy/Organisations.ts"
import { Erasure } from "./Erasure.ts"

const yes = Options.boolean("yes").pipe(
  Options.withDescription("Delete it. Without this the command only says what would go")
)

/** `organisations delete`: an organisation with everything that is stored of it. */
export const deleteOrganisation = Command.make("delete", { organisation, yes, json }, ({ organisation, yes }) =>
  print(
    Effect.gen(function* () {
      const organisations = yield* Organisations
      const { id, name } = yield* organisations.find(organisation)
      if (yes) {
        const { erased, notRevoked } = yield* (yield* Erasure).organisation(id)
        return { id, name, erased, notRevoked }
      }
      const counts = Object.entries(yield* organisations.counts(id)).map(([kind, count]) => `${count} ${kind}`)
      return yield* new Conflict({
        code: "CONFLICT",
        message: `This deletes the organisation "${name}" (${id}) for good, with ${counts.join(", ")}. Repeat it with --yes to do so.`
      })
    })
  )
).pipe(
  Command.withDescription(
    "Delete an organisation with all that is stored of it, named exactly; consents are taken back at providers"
  )
)
