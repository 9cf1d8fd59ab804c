import type { ConsoleSession } from "./ConsoleSessions.ts"

/** A request to the console by someone who is signed in. */
export interface Visit {
  readonly session: ConsoleSession
  /** Where `/console` is, from the page: addresses are relative, so that they hold behind a path of a proxy too. */
  readonly root: string
  /** Of the route. */
  readonly params: { readonly [name: string]: string | undefined }
}
