import { Cause, type Effect, Exit, Layer, Logger, LogLevel, ManagedRuntime, Redacted } from "effect"
import { explain } from "../Explain.ts"
import {
  type Caller,
  type CallerOptions,
  type EndUserOf,
  TestApplication,
  testApplication,
  type TestParts
} from "./TestApplication.ts"

/** A `Caller` without Effect: `key` is the text that requests carry. */
export interface StartedCaller extends Pick<
  Caller,
  "organisation" | "environment" | "endUser" | "connections" | "fetch"
> {
  readonly key: string
}

/** A `TestApplication` without Effect, for as long as it is not closed. */
export interface StartedApplication extends StartedCaller, AsyncDisposable {
  /** Answers any request as the application would at `http://localhost`. */
  readonly handle: (request: Request) => Promise<Response>
  readonly caller: (
    options?: Omit<CallerOptions, "beside"> & { readonly beside?: StartedCaller }
  ) => Promise<StartedCaller>
  /** One more connection of a caller to a provider or toolkit, which may have others; gives its UUID. */
  readonly connect: (caller: StartedCaller, slug: string) => Promise<string>
  readonly close: () => Promise<void>
}

const started = ({ connections, endUser, environment, fetch, key, organisation }: Caller): StartedCaller => ({
  organisation,
  environment,
  endUser,
  connections,
  fetch,
  key: Redacted.value(key)
})

const endUserOf = ({ endUser, environment, key, organisation }: StartedCaller): EndUserOf => ({
  organisation,
  environment,
  endUser,
  key: Redacted.make(key)
})

/** The failure itself: a runtime's own promises wrap it. */
const errorOf = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error : new Error(explain(cause))
}

/**
 * Starts a `testApplication`. Close it at the end, or declare it with `await using`. Warnings and errors are logged; rejects
 * where a part is wrong, with a message that names the place.
 */
export const startTestApplication = async (parts: TestParts): Promise<StartedApplication> => {
  const runtime = ManagedRuntime.make(
    testApplication(parts).pipe(Layer.provide(Logger.minimumLogLevel(LogLevel.Warning)))
  )
  const run = async <A, E>(effect: Effect.Effect<A, E, TestApplication>): Promise<A> => {
    const exit = await runtime.runPromiseExit(effect)
    return Exit.isSuccess(exit) ? exit.value : Promise.reject(errorOf(exit.cause))
  }
  const app = await run(TestApplication)
  const close = () => runtime.dispose()
  return {
    ...started(app),
    handle: app.handle,
    caller: async ({ beside, ...options } = {}) =>
      started(await run(app.caller(beside === undefined ? options : { ...options, beside: endUserOf(beside) }))),
    connect: (caller, slug) => run(app.connect(endUserOf(caller), slug)),
    close,
    [Symbol.asyncDispose]: close
  }
}
