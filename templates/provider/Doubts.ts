import type { Doubt } from "tributary/provider"

/** What is assumed of Acme and could not be verified without an account. */
export const doubts: ReadonlyArray<Doubt> = [
  {
    assumed: "A cursor stays good while records come and go",
    otherwise: "a walk through a list misses records, or ends early",
    source: "https://developer.acme.example/records#pages"
  }
]
