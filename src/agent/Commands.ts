import { Command } from "@effect/cli"
import { Effect } from "effect"
import { Connections } from "../connections/Connections.ts"
import { json, print } from "../platform/Commands.ts"
import { ChatSessions } from "./ChatSessions.ts"
import { SessionContexts } from "./SessionContexts.ts"

/** What rests encrypted for longer than a day, sealed with the key that is first now. */
export const rotateEncryption = Command.make("rotate-encryption", { json }, () =>
  print(
    Effect.gen(function* () {
      return {
        connections: yield* (yield* Connections).rotateEncryption,
        sessionContexts: yield* (yield* SessionContexts).rotateEncryption,
        chatSessions: yield* (yield* ChatSessions).rotateEncryption
      }
    })
  )
).pipe(Command.withDescription("Encrypt what is stored with the first of ENCRYPTION_KEYS"))
