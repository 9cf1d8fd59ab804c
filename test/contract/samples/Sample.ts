import { Effect } from "effect"
import type { Call, Doc } from "../../support/SandboxApplication.ts"
import { pageOf } from "../../support/SandboxApplication.ts"

/** Bodies for one kind of record. */
export interface Sample {
  /** A create with every field the provider takes. */
  readonly full: Doc
  /** A create with what is needed, no more; as a PUT it clears the rest. */
  readonly least: Doc
  /** Other values for some fields of `full`. */
  readonly change: Doc
  /** Fields of `full` that a PUT without them leaves, because a record is never without them. */
  readonly kept: ReadonlyArray<string>
  /** A text field that holds anything. */
  readonly text: string
  /** A body whose amount is the given one, and how that amount is found in a record. */
  readonly amount?: {
    readonly body: (amount: number) => Doc
    readonly read: (record: Doc) => unknown
  }
}

/** By resource, such as `crm/contact`, the kinds that behave differently, each with its bodies. */
export type Samples = {
  readonly [resource: string]: { readonly [kind: string]: (call: Call) => Effect.Effect<Sample> }
}

/** A record of the sample data that a condition holds for. */
export const some = (call: Call, path: string, holds: (record: Doc) => boolean = () => true) =>
  Effect.map(call("GET", `${path}&limit=100`), (answer) => {
    const found = pageOf(answer).data.find(holds)
    if (found === undefined) throw new Error(`no sample at ${path}`)
    return found
  })

export const idOf = (record: Doc) => String(record.remote_id)
export const uuidOf = (record: Doc) => String(record.id).replace("urn:uuid:", "")
