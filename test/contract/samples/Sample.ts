import { Effect } from "effect"
import { type Call, type Doc, pageOf } from "../../../src/testing/contract/Answers.ts"
import type { Sample } from "../../../src/testing/contract/Sample.ts"

export type { Sample }

/** Whole samples: by resource, such as `contact`, the kinds that behave differently, each with its bodies. */
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
