import { Array, Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { inOrder } from "../base/Paginator.ts"
import type {
  CreateRequest,
  ListRequest,
  NativeRecord,
  ResourceAdapter,
  Target,
  UpdateRequest
} from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"
import { isWithoutType } from "./Lacks.ts"
import type { Org } from "./Org.ts"
import { none, type SObject, sobject, type Targets } from "./SObjects.ts"

/**
 * Every operation on the records of several types, listed one type after the other. A type that the org does not have
 * has no records.
 */
export const sobjects = (org: Org, types: ReadonlyArray<SObject>) => {
  const each = types.map((one) => ({ type: one.type, ...sobject(org, one) }))

  const list = (request: ListRequest) =>
    inOrder(
      "salesforce",
      each.map(
        (one) => (position: string | null, limit: number) =>
          Effect.catchIf(one.list({ ...request, position, limit }), isWithoutType, () => Effect.succeed(none))
      )
    )(request.position, request.limit)

  /** The operations on the type of a variant. */
  const on = <A>(
    { nativeType }: CompiledVariant,
    run: (one: (typeof each)[number]) => Effect.Effect<A, ProviderError>
  ) => {
    const found = each.find(({ type }) => type === nativeType)
    return found === undefined ? Effect.dieMessage(`no type ${nativeType}`) : run(found)
  }

  const update = (request: UpdateRequest) => on(request.variant, (one) => one.patch(request))

  return {
    readsBeforeUpdate: true,
    finds: each.map(({ finds }) => finds).reduce((some, more) => Array.intersection(some, more)),
    list,
    nativeTypeOf: (id: string) => types.find(({ prefix }) => prefix !== undefined && id.startsWith(prefix))?.type,
    get: (target: Target) => on(target.variant, (one) => one.get(target)),
    getMany: (targets: Targets) => on(targets.variant, (one) => one.getMany(targets)),
    create: (request: CreateRequest) => on(request.variant, (one) => one.create(request)),
    replace: update,
    patch: update,
    remove: (target: Target & { readonly current: NativeRecord | undefined }) =>
      on(target.variant, (one) => one.remove(target))
  } satisfies Partial<ResourceAdapter>
}
