import { Command, Options } from "@effect/cli"
import { Console, type Effect as Effects, Effect } from "effect"
import * as Database from "./Database.ts"
import * as Migrations from "./Migrations.ts"

/** Accepted by every command, so that scripts can say what they rely on; answers are JSON without it too. */
export const json = Options.boolean("json").pipe(Options.withDescription("Answer in JSON (always so)"))

/** Prints what a command answers: one JSON value on standard output. */
export const print = <A, E, R>(answer: Effects.Effect<A, E, R>) =>
  Effect.flatMap(answer, (value) => Console.log(JSON.stringify(value)))

/** `migrate`: brings the database to this version's schema. */
export const migrate = Command.make("migrate", { json }, () =>
  Migrations.run.pipe(
    Effect.map((applied) => ({ applied: applied.map(([id, name]) => ({ id, name })) })),
    print,
    Effect.provide(Database.connect("client"))
  )
).pipe(Command.withDescription("Bring the database to this version's schema"))
