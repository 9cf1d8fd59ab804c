import { Effect, Layer, Schema, type Scope } from "effect"

/** A part that an application cannot be made of; `message` names the place, one line for each mistake. */
export class InvalidPart extends Schema.TaggedError<InvalidPart>()("InvalidPart", { message: Schema.String }) {}

/** A part has the slug of one that was there before. */
export const slugTaken = (kind: string, slug: string, holder: string) =>
  new InvalidPart({
    message: `${kind} ${slug}: the slug is taken by ${kind === holder ? "another" : "a"} ${holder}; each needs one of its own and is given once`
  })

/** The parts of an application by slug, in the order of registering: parts register themselves through their Layers. */
export interface Registry<A> {
  /** Adds one for as long as the scope lives. */
  readonly register: (one: A) => Effect.Effect<void, InvalidPart, Scope.Scope>
  readonly get: (slug: string) => A | undefined
  readonly all: () => ReadonlyArray<A>
}

/** A registry of one kind of part, as messages call it: `provider`. */
export const make = <A extends { readonly slug: string }>(kind: string): Registry<A> => {
  const held = new Map<string, A>()
  return {
    register: (one) =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          if (held.has(one.slug)) return slugTaken(kind, one.slug, kind)
          held.set(one.slug, one)
          return Effect.void
        }),
        () => Effect.sync(() => held.delete(one.slug))
      ),
    get: (slug) => held.get(slug),
    all: () => [...held.values()]
  }
}

/** The Layer of a part whose module is loaded when it is built: an application loads only those that it is made of. */
export const lazy = <E, R>(load: () => Promise<Layer.Layer<never, E, R>>) => Layer.unwrapEffect(Effect.promise(load))

/** Builds parts one after the other, so that they are registered in this order. */
export const inOrder = <E, R>(parts: ReadonlyArray<Layer.Layer<never, E, R>>): Layer.Layer<never, E, R> =>
  parts.reduce<Layer.Layer<never, E, R>>((before, next) => Layer.provideMerge(next, before), Layer.empty)
