import { setFlagsFromString } from "node:v8"

/**
 * Sets how V8 keeps house in this process. What a request makes dies with it, but waits for a provider until then. V8 takes
 * what it sees surviving for long-lived and places the next of its kind where only a major collection finds it, and lets the
 * heap grow to several times what is in use before one. Neither suits a service that waits: https://v8.dev/blog/trash-talk
 * What each flag saves is in `docs/decisions/0008-v8-flags.md`.
 */
export const preferShortLives = () => {
  setFlagsFromString("--no-allocation-site-pretenuring")
  setFlagsFromString("--heap-growing-percent=80")
}
