import { SqlClient, SqlSchema, type Statement } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import * as Registry from "../platform/Registry.ts"
import { Environment } from "./CurrentCaller.ts"

/** Somebody of whom something is stored, whether they ever connected anything or not. */
export const Person = Schema.Struct({
  /** UUID. */
  organisation: Schema.String,
  environment: Environment,
  /** The organisation's own id of the end user. */
  endUserId: Schema.String
})
export type Person = typeof Person.Type

/** A person's stored data as JSON, without secrets. */
export type Exported = { readonly [name: string]: unknown }

/** One kind of what is stored of end users. */
export interface Holding {
  /** The kind, as counts and exports name it: `chats`. */
  readonly slug: string
  /** The tables that it takes care of. */
  readonly tables: ReadonlyArray<string>
  readonly count: (person: Person) => Effect.Effect<number>
  /** Oldest first. */
  readonly export: (person: Person) => Effect.Effect<ReadonlyArray<Exported>>
  /** Erases all of it, within the transaction of the whole erasure. */
  readonly erase: (person: Person) => Effect.Effect<void>
}

/**
 * Every kind of what is stored of end users. Whatever stores something of them registers a holding here, and is erased,
 * counted and exported with the rest; `test/tenancy/Isolation.test.ts` finds tables that none takes care of. Holdings are
 * erased in the order in which they were registered.
 */
export class PersonalData extends Context.Tag("tributary/tenancy/PersonalData")<
  PersonalData,
  Registry.Registry<Holding>
>() {
  static readonly layer = Layer.sync(PersonalData, () => Registry.make<Holding>("holding"))
}

/** Registers holdings for as long as the Layer lives. */
export const holdings = <E, R>(make: Effect.Effect<ReadonlyArray<Holding>, E, R>) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const { register } = yield* PersonalData
      yield* Effect.orDie(Effect.forEach(yield* make, register, { discard: true }))
    })
  )

/** Rows of one table that are a person's. */
export interface OwnRows<A, I> {
  readonly slug: string
  readonly table: string
  /** Other tables whose rows go with these. */
  readonly with?: ReadonlyArray<string>
  /** Which rows are a person's; the table is `t`. */
  readonly where: (person: Person) => Statement.Fragment
  /** Which of them are counted and exported; all unless given. */
  readonly shownWhere?: Statement.Fragment
  /** Columns that are exported, oldest first. */
  readonly columns: string
  readonly oldestBy: string
  readonly row: Schema.Schema<A, I>
  /** A row as an export shows it. */
  readonly shown: (row: A, person: Person) => Exported | Effect.Effect<Exported>
}

const Counted = Schema.Struct({ count: Schema.Int })

/** A holding of the rows of one table. */
export const ownRows = <A, I>(rows: OwnRows<A, I>) =>
  Effect.map(SqlClient.SqlClient, (sql): Holding => {
    const { shownWhere = sql`true`, slug, table, where } = rows
    const counted = SqlSchema.single({
      Request: Person,
      Result: Counted,
      execute: (person) => sql`
        select count(*)::int as count from ${sql(table)} t where ${where(person)} and ${shownWhere}`
    })
    const read = SqlSchema.findAll({
      Request: Person,
      Result: rows.row,
      execute: (person) => sql`
        select ${sql.literal(rows.columns)} from ${sql(table)} t where ${where(person)} and ${shownWhere}
        order by ${sql.literal(rows.oldestBy)}`
    })
    return {
      slug,
      tables: [table, ...(rows.with ?? [])],
      count: (person) => Effect.orDie(Effect.map(counted(person), ({ count }) => count)),
      erase: (person) => Effect.orDie(Effect.asVoid(sql`delete from ${sql(table)} t where ${where(person)}`)),
      export: (person) =>
        Effect.flatMap(Effect.orDie(read(person)), (found) =>
          Effect.forEach(found, (row) => {
            const shown = rows.shown(row, person)
            return Effect.isEffect(shown) ? shown : Effect.succeed(shown)
          })
        )
    }
  })
