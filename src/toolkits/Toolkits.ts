import { Context, Effect, Layer } from "effect"
import * as Registry from "../platform/Registry.ts"
import type { Authorization } from "../providers/base/Authorization.ts"
import type { ConnectionTool } from "./Tool.ts"

/** A tool of the end user's that agents can use through their connection to it. */
export interface Toolkit {
  readonly slug: string
  readonly name: string
  /** For a model, in one sentence: what can be done with it. */
  readonly description: string
  readonly authorization: Authorization
  readonly tools: ReadonlyArray<ConnectionTool>
}

/** The toolkits this application is made of. */
export class Toolkits extends Context.Tag("tributary/toolkits/Toolkits")<Toolkits, Registry.Registry<Toolkit>>() {
  static readonly layer = Layer.sync(Toolkits, () => Registry.make<Toolkit>("toolkit"))
}

/** The Layer of a toolkit: registers what `make` builds. */
export const toolkit = <E, R>(make: Effect.Effect<Toolkit, E, R>) =>
  Layer.scopedDiscard(Effect.flatMap(Effect.all([Toolkits, make]), ([toolkits, made]) => toolkits.register(made)))
