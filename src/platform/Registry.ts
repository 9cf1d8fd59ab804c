import { Effect, type Scope } from "effect"

/** What an application is made of, by slug: parts register themselves through their Layers, and the last of a slug wins. */
export interface Registry<A> {
  /** Adds one for as long as the scope lives. */
  readonly register: (one: A) => Effect.Effect<void, never, Scope.Scope>
  readonly get: (slug: string) => A | undefined
  readonly all: () => ReadonlyArray<A>
}

export const make = <A extends { readonly slug: string }>(): Registry<A> => {
  const stacks = new Map<string, ReadonlyArray<A>>()
  return {
    register: (one) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          stacks.set(one.slug, [...(stacks.get(one.slug) ?? []), one])
        }),
        () =>
          Effect.sync(() => {
            stacks.set(
              one.slug,
              (stacks.get(one.slug) ?? []).filter((other) => other !== one)
            )
          })
      ),
    get: (slug) => stacks.get(slug)?.at(-1),
    all: () => [...stacks.values()].flatMap((stack) => stack.slice(-1))
  }
}
