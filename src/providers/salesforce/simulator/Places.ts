import { Either } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { refused, type Settled } from "../../simulation/table/Complaint.ts"
import type { Rule } from "../../simulation/table/Kind.ts"
import { isOn } from "./Settings.ts"

// Countries and states, where they are chosen from lists: a part of what a new organisation has, and the rules by which names and
// codes go together.
// https://help.salesforce.com/s/articleView?id=xcloud.admin_state_country_picklists_field_syncing.htm

/** Code, and the name that stands for it. */
export const countries: ReadonlyArray<readonly [code: string, name: string]> = [
  ["AU", "Australia"],
  ["CA", "Canada"],
  ["DE", "Germany"],
  ["GB", "United Kingdom"],
  ["JP", "Japan"],
  ["SE", "Sweden"],
  ["US", "United States"]
]

/** Only some countries have states in the beginning; one code may stand for states of several. */
export const states: ReadonlyArray<readonly [country: string, code: string, name: string]> = [
  ["AU", "NSW", "New South Wales"],
  ["AU", "WA", "Western Australia"],
  ["CA", "BC", "British Columbia"],
  ["CA", "ON", "Ontario"],
  ["US", "CA", "California"],
  ["US", "NY", "New York"],
  ["US", "OR", "Oregon"],
  ["US", "TX", "Texas"],
  ["US", "WA", "Washington"]
]

/** Which countries a state is valid for: a bit for each of the list, the highest of a byte first. */
export const validFor = (country: string): string => {
  const bytes = Buffer.alloc(Math.ceil(countries.length / 8))
  const index = countries.findIndex(([code]) => code === country)
  bytes[Math.floor(index / 8)] = 0x80 >> (index % 8)
  return bytes.toString("base64")
}

const isSame = (a: string, b: unknown) => a.toLowerCase() === String(b).toLowerCase()

const integrity = (words: string, path: string): Settled<never> =>
  refused(words, path, { code: "FIELD_INTEGRITY_EXCEPTION" })

const labelOf = (prefix: string, part: string) => `${prefix} ${part}`.trim()

interface Chosen {
  readonly code: unknown
  readonly name: unknown
}

const nothing: Chosen = { code: null, name: null }

/** The choice that a write makes, or undefined where it makes none. */
const chosen = (
  { before, given }: Pick<Parameters<Rule>[0], "before" | "given">,
  field: string,
  choices: ReadonlyArray<Chosen>,
  wrong: string
): Settled<Chosen | undefined> => {
  const [code, name] = [given[`${field}Code`], given[field]]
  if (typeof code === "string") {
    const found = choices.find((one) => isSame(String(one.code), code))
    if (found === undefined) return integrity(wrong, `${field}Code`)
    const isOther = typeof name === "string" && !isSame(String(found.name), name)
    return before !== undefined && isOther ? integrity(wrong, field) : Either.right(found)
  }
  if (typeof name === "string") {
    const found = choices.find((one) => one.name === name)
    return found === undefined ? integrity(wrong, field) : Either.right(found)
  }
  return Either.right(code === null || name === null ? nothing : undefined)
}

const settled = (write: Parameters<Rule>[0], prefix: string): Settled<Doc> =>
  Either.gen(function* () {
    const { after } = write
    const [country, state] = [`${prefix}Country`, `${prefix}State`]
    const found = yield* chosen(
      write,
      country,
      countries.map(([code, name]) => ({ code, name })),
      `There's a problem with this country, even though it may appear correct. Please select a country/territory from the list of valid countries.: ${labelOf(prefix, "Country")}`
    )
    const place = found ?? { code: after[`${country}Code`] ?? null, name: after[country] ?? null }
    const isStateGiven = typeof write.given[state] === "string" || typeof write.given[`${state}Code`] === "string"
    if (isStateGiven && place.code === null) {
      return yield* integrity(
        `A country/territory must be specified before specifying a state value for field: ${labelOf(prefix, "State/Province")}`,
        state
      )
    }
    const own = states.filter(([of]) => of === place.code).map(([, code, name]) => ({ code, name }))
    const within = yield* chosen(
      write,
      state,
      own,
      `There's a problem with this state, even though it may appear correct. Please select a state from the list of valid states.: ${labelOf(prefix, "State/Province")}`
    )
    const kept = { code: after[`${state}Code`] ?? null, name: after[state] ?? null }
    const region = place.code === null ? nothing : (within ?? kept)
    if (region.code !== null && !own.some(({ code }) => code === region.code)) {
      return yield* integrity(
        `The existing country/territory doesn't recognize the state value ${String(region.name)}: ${labelOf(prefix, "State/Province")}`,
        state
      )
    }
    return {
      ...after,
      [country]: place.name,
      [`${country}Code`]: place.code,
      [state]: region.name,
      [`${state}Code`]: region.code
    }
  })

/** Keeps names and codes of the addresses under these prefixes in step. */
export const inStep =
  (prefixes: ReadonlyArray<string>): Rule =>
  (write) =>
    isOn(write.account, "address picklists")
      ? prefixes.reduce<Settled<Doc>>(
          (all, prefix) => Either.flatMap(all, (after) => settled({ ...write, after }, prefix)),
          Either.right(write.after)
        )
      : Either.right(write.after)

/** What the organisation's lists have of an address that is held: its codes, if there are any. */
export const codesOf = (org: Org, doc: Doc, prefix: string): Doc =>
  isOn(org, "address picklists")
    ? { countryCode: doc[`${prefix}CountryCode`] ?? null, stateCode: doc[`${prefix}StateCode`] ?? null }
    : {}
