import { computed } from "../../mapping/Entries.ts"
import { type Encoding, getPath, natives } from "../../mapping/Mapping.ts"

/** The status of purchase and sales orders. An order is closed line by line. */

interface States {
  /** Patterns of native states; a state that matches none is `otherwise`. */
  readonly names: ReadonlyArray<readonly [canonical: string, pattern: RegExp]>
  readonly otherwise: string
  /** The state that closes all lines. */
  readonly closed: string
  /** Writes a state other than the present one. */
  readonly write: (value: string, encoding: Encoding) => void
}

/** Comes after the lines in a mapping, as it may close them. */
export const orderStatus = ({ closed, names, otherwise, write }: States) => {
  const read = (record: unknown) => {
    const name = String(getPath(record, "status.refName"))
    return names.find(([, pattern]) => pattern.test(name))?.[0] ?? otherwise
  }
  return computed({
    canonical: "status",
    native: ["status"],
    needsCurrent: true,
    decode: ({ record }) => read(record),
    encode: (value, encoding) => {
      const held = encoding.current === undefined ? undefined : read(encoding.current.record)
      if (typeof value !== "string" || value === held) return
      const isClosed = value === closed
      if (isClosed || held === closed) {
        encoding.set(
          "lines",
          natives(encoding.get("lines")).map((line) => ({ ...line, isClosed }))
        )
      }
      if (!isClosed) write(value, encoding)
    }
  })
}
