import { parse, type Statement } from "pgsql-ast-parser"

/** Statements by their text, the one asked for last at the end. */
const known = new Map<string, ReadonlyArray<Statement>>()

const capacity = 500

/** Characters of a text that is worth keeping. */
const longest = 10_000

/**
 * Reads SQL, and keeps what it read: callers ask the same over and over, and reading takes longer than answering. Throws
 * what the parser throws.
 */
export const parseSql = (text: string): ReadonlyArray<Statement> => {
  const statements = known.get(text) ?? parse(text)
  known.delete(text)
  if (text.length <= longest) known.set(text, statements)
  const [oldest] = known.keys()
  if (known.size > capacity && oldest !== undefined) known.delete(oldest)
  return statements
}
