import { Effect } from "effect"
import { All } from "../../src/All.ts"
import type { SimulatedRequest, Simulator } from "../../src/providers/simulation/Simulator.ts"
import { simulators } from "../../src/Simulators.ts"
import { sandboxApplication } from "./SandboxApplication.ts"

/** The application, with notes of what is asked of one simulator. */
export const notedApplication = (simulator: Simulator) => {
  const noted: Array<SimulatedRequest> = []
  const noting: Simulator = {
    ...simulator,
    routes: simulator.routes.map((route) => ({
      ...route,
      handle: (request, account, features) => {
        noted.push(request)
        return route.handle(request, account, features)
      }
    }))
  }
  const sources = simulators.map((source) =>
    source.slug === simulator.slug ? { slug: simulator.slug, load: Effect.succeed(noting) } : source
  )
  /** Runs an effect; returns its result with the calls made meanwhile. */
  const during = <A, E, R>(run: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      noted.length = 0
      return Effect.map(run, (answer) => ({ answer, asked: [...noted] }))
    })
  return { application: sandboxApplication({}, All, sources), during }
}
