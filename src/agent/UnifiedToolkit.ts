import { Context, Effect, Either, Layer, Record, Schema } from "effect"
import { find, resourcesOf } from "../canonical/Catalogue.ts"
import { type Category, readableOf, type Resource } from "../canonical/Resource.ts"
import type { Connection } from "../connections/Connection.ts"
import type { Body } from "../mapping/Encode.ts"
import { type ApiError, BadRequest, Unprocessable } from "../platform/Errors.ts"
import { makers, sentencesOf } from "../providers/Needs.ts"
import type { Operation } from "../providers/ProviderAdapter.ts"
import { Providers } from "../providers/Providers.ts"
import type { Subject } from "../records/Access.ts"
import { filterParameters, wantedOf } from "../records/FilterParameters.ts"
import type { Held } from "../records/OneRecord.ts"
import { Records } from "../records/Records.ts"
import { hints, InvalidArguments, type Tool, tool } from "../toolkits/Tool.ts"
import { synonymsOf } from "./Synonyms.ts"
import { outputLimit } from "./Untrusted.ts"

/** The caller, end user and connection of a call. */
export interface CallContext extends Subject {
  /** The connection to use; undefined: every suitable one. */
  readonly at: Connection | undefined
  /** The caller's key, for creates. */
  readonly idempotencyKey: string | undefined
}

/** A tool over canonical records. */
export interface RecordTool extends Tool<CallContext> {
  /** Slugs of the providers that support it. */
  readonly providers: ReadonlyArray<string>
  /** `every`: over all connections at once; `one`: at one of them. */
  readonly reach: "one" | "every"
}

/** The `crm` and `accounting` toolkits: the canonical resources as tools, made from their declarations. */
export class UnifiedToolkit extends Context.Tag("tributary/agent/UnifiedToolkit")<
  UnifiedToolkit,
  {
    /** Tools for everything that this deployment's providers support. */
    readonly tools: (category: Category) => ReadonlyArray<RecordTool>
  }
>() {
  static readonly layer = Layer.effect(
    UnifiedToolkit,
    Effect.gen(function* () {
      const records = yield* Records
      const providers = yield* Providers

      const able = ({ category, name }: Resource, operation: Operation) =>
        providers
          .all(category)
          .filter((adapter) => adapter.resources[name]?.[operation] !== undefined)
          .map(({ slug }) => slug)

      /** Adds to a message about a wrong reference the tool that finds the record. */
      const findable = (message: string): string => {
        const name = referred.exec(message)?.[1]?.replaceAll(" ", "_")
        const target = name === undefined ? undefined : find("accounting", name)
        return target === undefined || able(target, "list").length === 0
          ? message
          : `${message}; ${nameOf(target, "list")} finds it`
      }

      const named = <A, I>(
        resource: Resource,
        action: keyof typeof actions,
        declared: {
          readonly description: string
          readonly input: Schema.Schema<A, I>
          readonly run: Parameters<typeof tool<CallContext, A, I>>[0]["run"]
        }
      ): ReadonlyArray<RecordTool> => {
        const { hints, operation, reach, verb, words } = actions[action]
        const slugs = able(resource, operation)
        if (slugs.length === 0) return []
        const made = tool<CallContext, A, I>({
          ...declared,
          name: nameOf(resource, action),
          title: `${verb} ${nounOf(resource, reach).replaceAll("_", " ")}`,
          description: `${declared.description} Providers: ${slugs.join(", ")}.`,
          keywords: [...words, ...synonymsOf(resource.category, resource.name)],
          hints
        })
        const explained = (error: InvalidArguments) =>
          new InvalidArguments({ ...error, errors: Record.map(error.errors, findable) })
        const check: RecordTool["check"] = (args) => Either.mapLeft(made.check(args), explained)
        const call: RecordTool["call"] = (context, args) =>
          Effect.mapError(made.call(context, args), (error) => {
            switch (error._tag) {
              case "InvalidArguments":
                return explained(error)
              case "Unprocessable":
                return new Unprocessable({ ...error, errors: Record.map(error.errors, findable) })
              default:
                return error
            }
          })
        return [{ ...made, check, call, providers: slugs, reach }]
      }

      const read = (resource: Resource): ReadonlyArray<RecordTool> => {
        const label = resource.name.replaceAll("_", " ")
        const what = `${label} records (${resource.description})`
        const fields = Schema.optional(
          Schema.Array(Schema.Literal(...readableOf(resource))).annotations({
            description:
              "Only these fields, and those that identify the record; the provider is asked for no more, so ask for few. Absent: all that have a value"
          })
        )
        return [
          ...named(resource, "list", {
            description: `List ${what} of every connected provider, or of one. Say by filters which are meant rather than read all of them. Answers {records, has_more, next_cursor}, where a page can be short while has_more is true; fields without a value are left out. Ask for few fields, and go on with next_cursor.`,
            input: Schema.Struct({
              fields,
              limit: Schema.optional(
                Schema.Int.pipe(Schema.between(1, 100)).annotations({
                  description: `At most so many records; ${pageSize} when absent`
                })
              ),
              cursor: Schema.optional(Schema.String.annotations({ description: "next_cursor of the answer before" })),
              ...filterParameters(resource)
            }),
            run: (context, { cursor, fields, limit = pageSize, ...filters }) =>
              Either.match(wantedOf(resource, filters), {
                onLeft: (message) => Effect.fail(new BadRequest({ code: "INVALID_PARAMETER", message })),
                onRight: (wanted) =>
                  fitting(limit, (size) =>
                    Effect.map(
                      records.list(subjectOf(context), resource, {
                        provider: context.at?.provider,
                        cursor,
                        limit: size,
                        wanted,
                        fields,
                        expand: undefined,
                        includeRemoteData: false
                      }),
                      ({ data, errors, pagination }) => ({
                        records: data.map((record) => pick(record, fields)),
                        has_more: pagination.hasMore,
                        next_cursor: pagination.cursor,
                        ...(errors === undefined ? {} : { errors })
                      })
                    )
                  )
              })
          }),
          ...named(resource, "get", {
            description: `Read one of the ${what} by its id. Fields without a value are left out.`,
            input: Schema.Struct({ id, fields }),
            run: (context, { fields, id }) =>
              at(context, (provider) =>
                Effect.map(
                  records.get(
                    subjectOf(context),
                    resource,
                    { provider, id },
                    { fields, expand: undefined, includeRemoteData: false }
                  ),
                  (record) => pick(record, fields)
                )
              )
          })
        ]
      }

      const update = (resource: Resource): ReadonlyArray<RecordTool> =>
        named(resource, "update", {
          description: `Change fields of one ${resource.name.replaceAll("_", " ")} (${resource.description}). Only the fields given are written, null clears one. Answers the record as the provider then holds it.`,
          input: Schema.Struct({
            id,
            record: bodyOf(resource.patchBody, "The fields to write")
          }),
          run: (context, { id, record }) =>
            at(context, (provider) =>
              written(
                records.update(
                  subjectOf(context),
                  resource,
                  { provider, id },
                  { body: record, handling: "lenient", mode: "patch" }
                )
              )
            )
        })

      const createAndDelete = (resource: Resource): ReadonlyArray<RecordTool> => [
        ...named(resource, "create", {
          description: `Create one ${resource.name.replaceAll("_", " ")} (${resource.description}). Answers the record as the provider then holds it, with its remote_id.${sentencesOf(
            makers(providers.all(), resource)
          )
            .map((sentence) => ` ${sentence}`)
            .join("")}`,
          input: Schema.Struct({ record: bodyOf(resource.createBody, "Its fields") }),
          run: (context, { record }) =>
            at(context, (provider) =>
              written(
                records.create(subjectOf(context), resource, provider, {
                  body: record,
                  handling: "lenient",
                  idempotencyKey: context.idempotencyKey
                })
              )
            )
        }),
        ...named(resource, "delete", {
          description: `Delete one ${resource.name.replaceAll("_", " ")} (${resource.description}) at its provider. Cannot be undone here.`,
          input: Schema.Struct({ id }),
          run: (context, { id }) =>
            at(context, (provider) => records.remove(subjectOf(context), resource, { provider, id }))
        })
      ]

      return {
        tools: (category) =>
          resourcesOf(category).flatMap((resource) => [
            ...read(resource),
            ...(resource.class === "read-only" ? [] : update(resource)),
            ...(resource.class === "writable" ? createAndDelete(resource) : [])
          ])
      }
    })
  )
}

/** Matches messages about an accounting reference that leads nowhere. */
const referred = /^(?:must be the UUID of an?|is no) ([a-z_ ]+?) (?:or|record|this)\b/

const nounOf = ({ name }: Resource, reach: RecordTool["reach"]) => (reach === "every" ? pluralOf(name) : name)

const nameOf = (resource: Resource, action: keyof typeof actions) =>
  `${resource.category}_${action}_${nounOf(resource, actions[action].reach)}`

/** Records of a list when the call does not say: few, since they go into a model's context. */
const pageSize = 10

/** Requests a page that does not fit again with fewer records, so that the cursor goes on right after them. */
const fitting = <A, E>(limit: number, page: (size: number) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(page(limit), (answer) => {
    const bytes = Buffer.byteLength(JSON.stringify(answer))
    return bytes <= outputLimit || limit === 1
      ? Effect.succeed(answer)
      : fitting(Math.max(1, Math.floor((limit * 0.8 * outputLimit) / bytes)), page)
  })

const actions = {
  list: {
    operation: "list",
    reach: "every",
    hints: hints.read,
    verb: "List",
    words: ["find", "search", "show", "all"]
  },
  get: {
    operation: "get",
    reach: "one",
    hints: hints.read,
    verb: "Get",
    words: ["read", "fetch", "look up", "details"]
  },
  create: {
    operation: "create",
    reach: "one",
    hints: hints.create,
    verb: "Create",
    words: ["add", "new", "make", "log"]
  },
  update: {
    operation: "patch",
    reach: "one",
    hints: hints.update,
    verb: "Update",
    words: ["edit", "change", "modify"]
  },
  delete: {
    operation: "remove",
    reach: "one",
    hints: hints.remove,
    verb: "Delete",
    words: ["remove", "erase", "trash"]
  }
} as const satisfies {
  readonly [action: string]: Pick<RecordTool, "hints" | "reach"> & {
    readonly operation: Operation
    readonly verb: string
    readonly words: ReadonlyArray<string>
  }
}

const id = Schema.String.pipe(Schema.minLength(1)).annotations({
  description: "remote_id of the record, as a list or create answered it"
})

/** A body's Schema, whose fields are known only as data. */
const bodyOf = ({ ast }: Schema.Schema.AnyNoContext, description: string) =>
  Schema.propertySignature(Schema.make<Body, unknown>(ast)).annotations({ description })

const subjectOf = ({ at, caller, connection, endUser }: CallContext): Subject => ({
  caller,
  endUser,
  connection: at?.id ?? connection
})

const at = <A, E>({ at }: CallContext, run: (provider: string) => Effect.Effect<A, E>) =>
  at === undefined ? Effect.dieMessage("a call to one connection was made without it") : run(at.provider)

/** Fields by which later calls name the record. */
const identifying = ["id", "remote_id", "providerSlug", "providerId"]

/** A record without empty fields, and only with those asked for, if any were. */
const pick = (record: Body, fields?: ReadonlyArray<string>): Body =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      if (fields !== undefined && !fields.includes(name) && !identifying.includes(name)) return []
      const kept = valued(value)
      return kept === undefined ? [] : [[name, kept] as const]
    })
  )

/** Moves a body's errors to the arguments' paths: `name` becomes `record.name`. */
const inRecord = (error: ApiError): ApiError =>
  error._tag === "Unprocessable"
    ? new Unprocessable({
        errors: Record.mapKeys(error.errors, (path) => (path === "body" ? "record" : `record.${path}`)),
        provider: error.provider
      })
    : error

/** A record as it was written, as a model gets it. */
const written = (write: Effect.Effect<Held, ApiError>) =>
  Effect.mapBoth(write, {
    onFailure: inRecord,
    onSuccess: ({ record, warnings }) =>
      warnings.length === 0
        ? pick(record)
        : { ...pick(record), warnings: warnings.map((one) => ({ ...one, field: `record.${one.field}` })) }
  })

const valued = (value: unknown): unknown => {
  if (value === null || (Array.isArray(value) && value.length === 0)) return undefined
  if (Array.isArray(value)) return value.map((one: unknown) => valued(one) ?? null)
  if (typeof value !== "object") return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => {
      const kept = valued(part)
      return kept === undefined ? [] : [[name, kept] as const]
    })
  )
}

const pluralOf = (name: string) =>
  name.endsWith("info")
    ? name
    : /[^aeiou]y$/.test(name)
      ? name.replace(/y$/, "ies")
      : name.endsWith("s")
        ? `${name}es`
        : `${name}s`
