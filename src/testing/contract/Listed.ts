import { type Doc, listOf } from "./Answers.ts"

const emptied = (record: Doc, field: string): Doc => ({ ...record, [field]: Array.isArray(record[field]) ? [] : null })

/** A record without the fields that lists may leave null. */
export const asListed = (record: Doc, nullInLists: ReadonlyArray<string>): Doc =>
  nullInLists.reduce((left, path) => {
    const [field = "", inside] = path.split("[].")
    return inside === undefined
      ? emptied(left, field)
      : { ...left, [field]: listOf(left[field]).map((line) => emptied(line, inside)) }
  }, record)

/** A report without the time at which the provider made it, which differs with every call. */
export const untimed = ({ remote_generated_at: _, ...record }: Doc): Doc => record
