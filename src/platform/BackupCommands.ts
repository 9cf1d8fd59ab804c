import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { resolve } from "node:path"
import * as Backup from "./Backup.ts"
import { json, print } from "./Commands.ts"
import * as Database from "./Database.ts"

const file = (name: string, description: string) =>
  Options.text(name).pipe(
    Options.map((path) => resolve(path)),
    Options.withDescription(description)
  )

/** `backup` */
export const backup = Command.make("backup", { to: file("to", "A file that is not there yet"), json }, ({ to }) =>
  print(Effect.provide(Backup.backup(to), Database.layerClient))
).pipe(
  Command.withDescription(
    "Write all that the database holds, also while the service runs, into a file; keys are not in it"
  )
)

/** `restore` */
export const restore = Command.make("restore", { from: file("from", "A file that backup wrote"), json }, ({ from }) =>
  print(Effect.provide(Backup.restore(from), Database.layerClient))
).pipe(Command.withDescription("Fill a new database from a backup of the same version"))
