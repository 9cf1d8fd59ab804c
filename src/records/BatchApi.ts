import { Schema } from "effect"
import { later, RecordId, type Resource } from "../canonical/Resource.ts"
import { Warning } from "../mapping/Warning.ts"
import { ErrorBody } from "../platform/Errors.ts"

/** Records of a batch at most. */
export const mostRecords = 100

export const operations = ["create", "update", "delete"] as const
export type BatchOperation = (typeof operations)[number]

const listOf = (record: Schema.Schema.AnyNoContext) =>
  Schema.Array(record).pipe(
    Schema.minItems(1),
    Schema.maxItems(mostRecords),
    Schema.annotations({
      message: () => ({ message: `must be 1 to ${mostRecords} records`, override: true }),
      description: `1 to ${mostRecords}`
    })
  )

const Operation = Schema.Literal(...operations).annotations({
  message: () => ({ message: `must be one of ${operations.join(", ")}`, override: true })
})

/** A batch as it comes in: what is wrong with a record is told of that record alone. */
export const BatchEnvelope = Schema.Struct({
  operation: Schema.optional(Operation),
  records: listOf(Schema.Unknown)
}).annotations({ parseOptions: { errors: "all", onExcessProperty: "error" } })

/** A record that a batch deletes. */
export const Deletion = Schema.Struct({ id: RecordId }).annotations({
  parseOptions: { errors: "all", onExcessProperty: "error" }
})

interface Creates<C> {
  readonly operation?: "create" | undefined
  readonly records: ReadonlyArray<C>
}

interface Updates<U> {
  readonly operation: "update"
  readonly records: ReadonlyArray<U>
}

interface Deletes {
  readonly operation: "delete"
  readonly records: ReadonlyArray<typeof Deletion.Type>
}

/** The body of a batch: records to create, or to update. */
export type BatchBody<C, U> = Creates<C> | Updates<U> | Deletes

/** Outcome of a record of a batch. */
export interface BatchEntry<A> {
  readonly index: number
  readonly status: number
  readonly data?: A | { readonly remote_id: string } | undefined
  readonly warnings?: ReadonlyArray<Warning> | undefined
  readonly code?: ErrorBody["code"] | undefined
  readonly message?: string | undefined
  readonly errors?: ErrorBody["errors"]
  readonly provider?: ErrorBody["provider"]
  readonly duplicate_of?: ErrorBody["duplicate_of"]
  readonly merged_into?: ErrorBody["merged_into"]
  readonly retryAfter?: number | undefined
  readonly retryable?: boolean | undefined
}

const { code, duplicate_of, errors, merged_into, message, provider } = ErrorBody.fields

/** Answer for a record that was deleted. */
export const Removed = Schema.Struct({
  remote_id: Schema.String.annotations({ description: "The provider's own id of the record" })
})

/**
 * Records in the types of batches, which name no fields: with those of every resource once more the declarations of the API
 * are more than the compiler writes. The Schemas, and with them the OpenAPI document, have them.
 */
export interface BatchRecord {
  readonly [field: string]: unknown
}

/** One that was written. */
export interface WrittenRecord extends BatchRecord {
  readonly id: string
  readonly remote_id: string
}

export const batchBodyOf = ({ changeBody, createBody, identifier }: Resource) =>
  later(`${identifier}Batch`, () =>
    Schema.make<BatchBody<BatchRecord, BatchRecord & { readonly id: string }>>(
      Schema.Union(
        Schema.Struct({
          operation: Schema.optional(
            Schema.Literal("create").annotations({ description: "Creates them; the usual one" })
          ),
          records: listOf(createBody)
        }),
        Schema.Struct({
          operation: Schema.Literal("update").annotations({ description: "Changes the fields that are sent" }),
          records: listOf(changeBody)
        }),
        Schema.Struct({
          operation: Schema.Literal("delete").annotations({ description: "Deletes them" }),
          records: listOf(Deletion)
        })
      ).annotations({ identifier: `${identifier}Batch`, description: "What is to be done with which records" }).ast
    )
  )

/** Outcome of a record of a batch of a resource. */
export const batchEntryOf = ({ identifier, record }: Resource) =>
  later(`${identifier}BatchEntry`, () =>
    Schema.make<BatchEntry<WrittenRecord>>(
      Schema.Struct({
        index: Schema.Int.annotations({ description: "Index of the record in `records`, from 0 on" }),
        status: Schema.Int.annotations({
          description: "Status of its own write: 201 created, 200 updated or deleted, else that of a failure"
        }),
        data: Schema.optional(
          Schema.Union(record, Removed).annotations({
            description: "The record as it then is, or the remote_id of a deleted one; absent: it was not written"
          })
        ),
        warnings: Schema.optional(
          Schema.Array(Warning).annotations({
            description:
              "What the record holds otherwise than it was sent, and the fields that could not be read after the write; absent: nothing"
          })
        ),
        code: Schema.optional(code),
        message: Schema.optional(message),
        errors,
        provider,
        duplicate_of,
        merged_into,
        retryAfter: Schema.optional(
          Schema.Number.annotations({ description: "Seconds until another try can succeed, where that is known" })
        ),
        retryable: Schema.optional(
          Schema.Boolean.annotations({
            description:
              "Of a failure; true: the same request with its `Idempotency-Key` may end otherwise for this record"
          })
        )
      }).annotations({ identifier: `${identifier}BatchEntry`, description: "What became of a record of a batch" }).ast
    )
  )
