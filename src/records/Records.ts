import { Context, Effect, Layer } from "effect"
import type { Resource } from "../canonical/Resource.ts"
import { Features } from "../connections/Features.ts"
import type { Body } from "../mapping/Encode.ts"
import type { Handling } from "../mapping/Warning.ts"
import { type ApiError, Unprocessable } from "../platform/Errors.ts"
import type { OnDuplicate } from "../providers/ProviderAdapter.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import { Providers } from "../providers/Providers.ts"
import { Access, type ResourceAccess, type Subject } from "./Access.ts"
import { dependsOnHeldAmounts, mustKeepTotals } from "./AmountRules.ts"
import { Expander } from "./Expander.ts"
import { makeList, type Listed, type ListQuery } from "./Lists.ts"
import { type Held, OneRecord } from "./OneRecord.ts"
import type { CanonicalRecord } from "./Presenter.ts"
import { answersFor, recordNotFound } from "./ProviderFailures.ts"
import { violations } from "./Rules.ts"
import { makeFieldLabels } from "./FieldLabels.ts"
import { onlyFields, fieldsOf, type FieldSelection } from "./FieldSelection.ts"
import { mayHaveUnreadNulls } from "./UnreadNulls.ts"
import { Writes } from "./Writes.ts"

/** Whether a read failed because the provider is down or slow. */
const isTransient = (error: ProviderError | ApiError) =>
  error._tag === "ProviderError" && (error.reason._tag === "Down" || error.reason._tag === "TimedOut")

/** One record, by the provider that holds it. */
export interface Which {
  readonly provider: string
  readonly id: string
}

/** A body to write. */
export interface Sent {
  readonly body: Body
  readonly handling: Handling
  readonly onDuplicate?: OnDuplicate | undefined
}

/** Refuses `on_duplicate` where the provider cannot be told to save a duplicate. */
const refuseOnDuplicate = (
  resource: Resource,
  { adapter: { name }, resourceAdapter: { duplicates } }: ResourceAccess,
  onDuplicate: OnDuplicate | undefined
) =>
  onDuplicate === undefined || duplicates === onDuplicate
    ? Effect.void
    : Effect.fail(
        new Unprocessable({
          errors: {
            on_duplicate: `${name} has no way to save a duplicate ${resource.name.replaceAll("_", " ")}. Send the request without it.`
          }
        })
      )

/** The operations of `/crm` and `/accounting`: canonical records over the connected providers. */
export class Records extends Context.Tag("tributary/records/Records")<
  Records,
  {
    readonly list: (subject: Subject, resource: Resource, query: ListQuery) => Effect.Effect<Listed, ApiError>
    readonly get: (
      subject: Subject,
      resource: Resource,
      which: Which,
      shown: FieldSelection
    ) => Effect.Effect<CanonicalRecord, ApiError>
    readonly create: (
      subject: Subject,
      resource: Resource,
      provider: string,
      sent: Sent & { readonly idempotencyKey: string | undefined }
    ) => Effect.Effect<Held, ApiError>
    readonly update: (
      subject: Subject,
      resource: Resource,
      which: Which,
      sent: Sent & { readonly mode: "replace" | "patch" }
    ) => Effect.Effect<Held, ApiError>
    readonly remove: (
      subject: Subject,
      resource: Resource,
      which: Which
    ) => Effect.Effect<{ readonly remote_id: string }, ApiError>
    /** Refuses an operation that the provider does not have, before anything else in the request is checked. */
    readonly supports: Access["Type"]["supports"]
    /** Whether a create at this provider may be sent again under the same idempotency key. */
    readonly repeatsCreates: (resource: Resource, provider: string) => boolean
  }
>() {
  static readonly layer = Layer.effect(
    Records,
    Effect.gen(function* () {
      const access = yield* Access
      const providers = yield* Providers
      const expander = yield* Expander
      const one = yield* OneRecord
      const features = yield* Features
      const writes = yield* Writes
      const namingFields = makeFieldLabels()

      /** Turns failures into this service's own, and remembers what an account lacks. */
      const answering = ({ connection, mapping }: ResourceAccess, about?: Parameters<typeof answersFor>[1]) => {
        const answer = answersFor(mapping, about)
        return <A, R>(effect: Effect.Effect<A, ApiError | ProviderError, R>) =>
          answer(
            Effect.tapError(effect, (error) =>
              error._tag === "ProviderError" ? features.note(connection, error) : Effect.void
            )
          )
      }

      /** Runs a write; if the record changed between reading and writing, once more on the current record. */
      const onceMoreWhenStale = <A, R>(write: Effect.Effect<A, ApiError | ProviderError, R>) =>
        Effect.catchIf(
          write,
          (error) => error._tag === "ProviderError" && error.reason._tag === "Stale",
          () => write
        )

      const refuseViolations = (
        resource: Resource,
        { adapter: { slug }, resourceAdapter }: ResourceAccess,
        body: Body,
        mode?: "create" | "replace"
      ) => {
        const errors = violations(resource, { slug, resourceAdapter }, body, mode)
        return Object.keys(errors).length === 0 ? Effect.void : Effect.fail(new Unprocessable({ errors }))
      }

      const create = Effect.fn("Records.create")(function* (
        subject: Subject,
        resource: Resource,
        slug: string,
        { body, handling, idempotencyKey, onDuplicate }: Sent & { readonly idempotencyKey: string | undefined }
      ) {
        const reached = yield* access.reach(subject, resource, slug, "create")
        const { connection, mapping, resourceAdapter } = reached
        yield* refuseOnDuplicate(resource, reached, onDuplicate)
        yield* refuseViolations(resource, reached, body)
        const variant = mapping.choose(body)
        const write = resourceAdapter.create
        if (variant === undefined || write === undefined) {
          return yield* new Unprocessable({ errors: { body: `${slug} has no kind of ${resource.name} for this` } })
        }
        return yield* Effect.gen(function* () {
          const { warnings, ...encoded } = yield* one.encode(reached, variant, body, "create", handling, undefined)
          const written = yield* write({ connection, variant, encoded, handling, onDuplicate, idempotencyKey }).pipe(
            namingFields(reached, variant.nativeType)
          )
          yield* writes.tell(connection, resource)
          return yield* one.afterWrite(reached, variant, written, { body, mode: "create", warnings })
        }).pipe(answering(reached))
      })

      const update = Effect.fn("Records.update")(function* (
        subject: Subject,
        resource: Resource,
        which: Which,
        { body, handling, mode, onDuplicate }: Sent & { readonly mode: "replace" | "patch" }
      ) {
        const reached = yield* access.reach(subject, resource, which.provider, mode)
        const { connection, resourceAdapter } = reached
        yield* refuseOnDuplicate(resource, reached, onDuplicate)
        if (mode === "replace") yield* refuseViolations(resource, reached, body, mode)
        return yield* Effect.gen(function* () {
          const known = yield* one.evident(reached, which.id)
          const readsFirst =
            known === undefined ||
            resourceAdapter.updates === "whole" ||
            resourceAdapter.readsBeforeUpdate === true ||
            known.needs(body, mode).current ||
            dependsOnHeldAmounts(resource, body) ||
            mayHaveUnreadNulls(resource, resourceAdapter.nullInLists, body)
          // Without the record before, such a write loses a comparison or keeps less of the stored markup.
          const prefersRead =
            !readsFirst && (known.needs(body, mode).currentIfReadable || mustKeepTotals(resource, body))
          const located = readsFirst
            ? yield* one.locate(reached, which.id)
            : prefersRead
              ? yield* one.locate(reached, which.id).pipe(Effect.catchIf(isTransient, () => Effect.succeed(undefined)))
              : undefined
          const variant = located?.variant ?? known
          const write = resourceAdapter[mode]
          if (variant === undefined || write === undefined) return yield* recordNotFound(resource, which.id)
          const id = located?.id ?? which.id
          const current = located?.found
          const { warnings, ...encoded } = yield* one.encode(reached, variant, body, mode, handling, current)
          const written = yield* write({ connection, variant, id, encoded, handling, onDuplicate, current, mode }).pipe(
            namingFields(reached, variant.nativeType)
          )
          yield* writes.tell(connection, resource)
          return yield* one.afterWrite(reached, variant, written, { body, mode, warnings }, { before: current })
        }).pipe(onceMoreWhenStale, answering(reached, { id: which.id }))
      })

      const remove = Effect.fn("Records.remove")(function* (subject: Subject, resource: Resource, which: Which) {
        const reached = yield* access.reach(subject, resource, which.provider, "remove")
        const { connection, resourceAdapter } = reached
        return yield* Effect.gen(function* () {
          const known = yield* one.evident(reached, which.id)
          const readsFirst =
            known === undefined || resourceAdapter.updates === "whole" || resourceAdapter.readsBeforeRemove === true
          const located = readsFirst ? yield* one.locate(reached, which.id) : undefined
          const variant = located?.variant ?? known
          const write = resourceAdapter.remove
          if (variant === undefined || write === undefined) return yield* recordNotFound(resource, which.id)
          const id = located?.id ?? which.id
          yield* write({ connection, variant, id, current: located?.found })
          yield* writes.tell(connection, resource)
          return { remote_id: id }
        }).pipe(onceMoreWhenStale, answering(reached, { id: which.id }))
      })

      // -------------------------------------------------------------------------------------------------------------
      // reading

      const get = Effect.fn("Records.get")(function* (
        subject: Subject,
        resource: Resource,
        which: Which,
        shown: FieldSelection
      ) {
        const reached = onlyFields(yield* access.reach(subject, resource, which.provider, "get"), fieldsOf(shown))
        return yield* one.locate(reached, which.id).pipe(
          Effect.flatMap(({ found }) => one.present(reached, found, shown.includeRemoteData)),
          Effect.flatMap((record) =>
            shown.expand === undefined
              ? Effect.succeed(record)
              : Effect.map(
                  expander.expand(subject.caller, reached, [record], shown.expand),
                  ([whole]) => whole ?? record
                )
          ),
          answering(reached, { id: which.id, reads: true })
        )
      })

      const list = yield* makeList

      return {
        list,
        get,
        create,
        update,
        remove,
        supports: access.supports,
        repeatsCreates: (resource, slug) => providers.get(slug)?.resources[resource.name]?.repeatsCreates === true
      }
    })
  )
}
