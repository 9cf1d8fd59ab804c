import { Effect } from "effect"
import { Octokit, RequestError } from "octokit"
import { simulator } from "../../../src/toolkits/github/simulator/GitHubSimulator.ts"
import { onPort } from "../../support/OnPort.ts"
import type { Claim } from "../../support/AnswerTypes.ts"

// GitHub's own client library, led to the simulator.

/** Every answer so far, with the type that the library gives it. */
export const answers: Array<Claim> = []

const called = new Set<string>()

const shape = (method: string, path: string) => `${method} ${path.replaceAll(/\{\w+\}|:\w+/g, "*")}`

/** Routes of the simulator that no call has reached so far. */
export const uncalled = () =>
  simulator.routes.flatMap(({ method, open, path }) =>
    open === true || called.has(shape(method, path)) ? [] : [shape(method, path)]
  )

const nothing = () => {}
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** An account of the simulator, opened by the library. */
export const connected = Effect.map(onPort(simulator), ({ accessToken, refreshToken, url }) => {
  // the library follows the addresses in answers, which are GitHub's own
  const reach: typeof fetch = (address, init) =>
    fetch(String(address).replace(/^https:\/\/(?:api\.)?github\.com(?=\/)/, url), init)
  const Connected: typeof Octokit = Octokit.defaults({ log, request: { fetch: reach }, retry: { enabled: false } })
  const octokit = new Connected({ auth: accessToken, throttle: { enabled: false } })
  octokit.hook.after("request", ({ data }, { method, url: path }) => {
    called.add(shape(method, path))
    if (typeof data !== "object" || !path.startsWith("/")) return
    answers.push({ type: `Endpoints["${method} ${path}"]["response"]["data"]`, answer: data })
  })
  return {
    Connected,
    accessToken,
    github: octokit.rest,
    octokit,
    reach,
    refreshToken,
    /** Makes the next request go wrong. */
    fault: (does: object) =>
      Effect.promise(() => fetch(`${url}/_faults`, { method: "POST", body: JSON.stringify({ does }) }))
  }
})

/** The data of a library call's answer. */
export const ask = <A>(call: () => Promise<{ readonly data: A }>) =>
  Effect.map(Effect.promise(call), ({ data }) => data)

/** The error that the library throws. */
export const refusal = (call: () => Promise<unknown>) =>
  Effect.tryPromise({ try: call, catch: (thrown) => thrown }).pipe(
    Effect.flip,
    Effect.orDieWith(() => new Error("it was not refused")),
    Effect.map((thrown) => {
      if (thrown instanceof RequestError) return thrown
      throw thrown
    })
  )

export const statusOf = (call: () => Promise<unknown>) => Effect.map(refusal(call), ({ status }) => status)
