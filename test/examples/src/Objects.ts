import { Effect } from "effect"
import {
  type Answer,
  anchored,
  type Call,
  type Caller,
  type CompiledVariant,
  isNative,
  Malformed,
  type Mapping,
  type Native,
  type NativeRecord,
  natives,
  ProviderError,
  type ResourceAdapter,
  type UpdateRequest
} from "tributary/provider"

/** Records that Rolodex gives at a time. */
const most = 100

const idOf = ({ record }: NativeRecord) => String(record.id)

/** Names the fields that the mapping reads, and no more. */
const fieldsOf = ({ reads }: CompiledVariant) => [...new Set(reads.map((path) => path.split(".")[0]))].join(",")

const recordOf = ({ operation }: Call, { body }: Answer): Effect.Effect<Native, ProviderError> =>
  isNative(body) && typeof body.id === "string"
    ? Effect.succeed(body)
    : Effect.fail(new ProviderError({ provider: "rolodex", operation, reason: new Malformed() }))

/** Operations that all of Rolodex's objects share; a PUT leaves fields that it does not name. */
export const objects = (call: Caller, mapping: Mapping) => {
  const update = ({ connection, encoded, id, mode, variant: { nativeType } }: UpdateRequest) => {
    const request: Call = {
      operation: `${nativeType}.${mode}`,
      method: "PUT",
      path: `/api/v1/${nativeType}/:id/`,
      params: { id },
      json: encoded.record
    }
    return call(connection, request).pipe(
      Effect.flatMap((answer) => recordOf(request, answer)),
      Effect.map((record) => ({ id, record: { nativeType, record } }))
    )
  }

  return {
    mapping,
    consistency: "anchored",

    list: ({ connection, limit, mapping: { variants }, position }) =>
      Effect.gen(function* () {
        const [variant] = variants
        if (variant === undefined) return { records: [], next: null }
        const { nativeType } = variant
        const page = yield* anchored(most, idOf, (start, size) => {
          const request: Call = {
            operation: `${nativeType}.list`,
            method: "GET",
            path: `/api/v1/${nativeType}/`,
            query: { _skip: start, _limit: size, _fields: fieldsOf(variant) }
          }
          return Effect.flatMap(call(connection, request), ({ body }) =>
            isNative(body) && Array.isArray(body.data)
              ? Effect.succeed({
                  records: natives(body.data).map((record) => ({ nativeType, record })),
                  more: body.has_more === true
                })
              : Effect.fail(
                  new ProviderError({ provider: "rolodex", operation: request.operation, reason: new Malformed() })
                )
          )
        })(position, limit)
        return page
      }),

    get: ({ connection, id, variant }) => {
      const { nativeType } = variant
      const request: Call = {
        operation: `${nativeType}.get`,
        method: "GET",
        path: `/api/v1/${nativeType}/:id/`,
        params: { id },
        query: { _fields: fieldsOf(variant) }
      }
      return call(connection, request).pipe(
        Effect.flatMap((answer) => recordOf(request, answer)),
        Effect.map((record) => ({ nativeType, record }))
      )
    },

    create: ({ connection, encoded, variant: { nativeType } }) => {
      const request: Call = {
        operation: `${nativeType}.create`,
        method: "POST",
        path: `/api/v1/${nativeType}/`,
        json: encoded.record
      }
      return call(connection, request).pipe(
        Effect.flatMap((answer) => recordOf(request, answer)),
        Effect.map((record) => ({ id: String(record.id), record: { nativeType, record } }))
      )
    },

    replace: update,
    patch: update,

    remove: ({ connection, id, variant: { nativeType } }) =>
      Effect.asVoid(
        call(connection, {
          operation: `${nativeType}.remove`,
          method: "DELETE",
          path: `/api/v1/${nativeType}/:id/`,
          params: { id }
        })
      )
  } satisfies ResourceAdapter
}
