/** The shape of an answer: the kinds of each member, by path (`data[].owner.id`). */
export interface Shape {
  readonly [path: string]: Kinds
}

/** Kinds that a member has; `isOptional`: some of the records lack it. */
export interface Kinds {
  readonly kinds: ReadonlySet<string>
  readonly isOptional: boolean
}

/** Text formats that clients must tell apart. Any other text is `text`. */
const formats: ReadonlyArray<readonly [string, RegExp]> = [
  ["date", /^\d{4}-\d\d-\d\d$/],
  ["time sp", /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/],
  ["/Date(n)/", /^\/Date\(-?\d+\)\/$/],
  ["/Date(n+0000)/", /^\/Date\(-?\d+[+-]\d{4}\)\/$/]
]

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?$/

const kindOfText = (value: string): string => {
  if (value === "") return '""'
  const known = formats.find(([, pattern]) => pattern.test(value))
  if (known !== undefined) return known[0]
  const [whole, fraction, zone = ""] = time.exec(value) ?? []
  if (whole === undefined) return "text"
  // an offset is that of the account
  const offset = zone.replace(/^[+-]\d\d(:?)\d\d$/, "+00$100")
  return `time${fraction === undefined ? "" : `.${fraction.length}`}${offset}`
}

/** The kind of a value, in the words of the recorded shapes. */
export const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (typeof value === "string") return kindOfText(value)
  if (typeof value === "number") return "number"
  if (typeof value === "boolean") return "boolean"
  if (Array.isArray(value)) return value.length === 0 ? "[]" : "array"
  return Object.keys(value as object).length === 0 ? "{}" : "object"
}

/** Recorded kinds that clients treat alike. */
const plain: { readonly [kind: string]: string } = {
  digits: "text",
  "decimal string": "text",
  "bool string": "text",
  bool: "boolean",
  email: "text",
  url: "text",
  uuid: "text",
  int: "number",
  decimal: "number"
}

/** Reads a shape as it is stored: kinds joined by `|`, with a `?` where some records lack the member. */
export const readShape = (stored: { readonly [path: string]: string }): Shape =>
  Object.fromEntries(
    Object.entries(stored).map(([path, text]) => {
      const kinds = text.replace(/\?$/, "").split("|")
      return [path, { kinds: new Set(kinds.map((kind) => plain[kind] ?? kind)), isOptional: text.endsWith("?") }]
    })
  )

/** The common shape of several answers. */
export const shapeOf = (answers: ReadonlyArray<unknown>): Shape => {
  const kinds = new Map<string, Set<string>>()
  const counts = new Map<string, number>()
  const visit = (path: string, value: unknown) => {
    const known = kinds.get(path) ?? new Set()
    kinds.set(path, known.add(kindOf(value)))
    counts.set(path, (counts.get(path) ?? 0) + 1)
    if (Array.isArray(value)) for (const entry of value) visit(`${path}[]`, entry)
    else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) visit(path === "" ? name : `${path}.${name}`, member)
    }
  }
  for (const answer of answers) visit("", answer)
  return Object.fromEntries(
    [...kinds].map(([path, known]) => [
      path,
      { kinds: known, isOptional: (counts.get(path) ?? 0) < (counts.get(parentOf(path)) ?? 0) }
    ])
  )
}

/** The path of the object or list that a path is in. */
export const parentOf = (path: string): string => {
  if (path.endsWith("[]")) return path.slice(0, -2)
  const dot = path.lastIndexOf(".")
  return dot < 0 ? "" : path.slice(0, dot)
}

const isIn = (path: string, record: string) =>
  path === record || [".", "["].some((next) => path.startsWith(record + next))

/**
 * Adds to each shape the members that the same kind of record has in the others. `alike`: lists of paths at which records of one
 * kind are, such as that of a record read alone and of one in a list.
 */
export const poolRecords = (
  shapes: ReadonlyMap<string, Shape>,
  alike: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyMap<string, Shape> => {
  const pools = alike.map((records) => {
    const pool = new Map<string, Kinds>()
    for (const shape of shapes.values()) {
      for (const record of records) {
        for (const [path, { kinds }] of Object.entries(shape)) {
          if (!isIn(path, record)) continue
          const member = path.slice(record.length)
          pool.set(member, { kinds: new Set([...(pool.get(member)?.kinds ?? []), ...kinds]), isOptional: true })
        }
      }
    }
    return { records, pool }
  })
  const extend = (shape: Shape): Shape => {
    const added = pools.flatMap(({ pool, records }) =>
      records
        .filter((record) => record in shape)
        .flatMap((record) => [...pool].map(([member, kinds]) => [record + member, kinds] as const))
    )
    const optional = added.map(([path, { kinds }]) => [path, { kinds, isOptional: shape[path]?.isOptional ?? true }])
    return { ...shape, ...Object.fromEntries(optional) }
  }
  return new Map([...shapes].map(([request, shape]) => [request, extend(shape)]))
}

const empty = new Set(["null", '""', "[]", "{}"])

const without = (kinds: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...kinds].filter((kind) => !others.has(kind))

const filled = (kinds: ReadonlySet<string>) => new Set([...kinds].filter((kind) => !empty.has(kind)))
const unfilled = (kinds: ReadonlySet<string>) => new Set([...kinds].filter((kind) => empty.has(kind)))

/**
 * Kinds that were never recorded. If no filled value was recorded, filled kinds are not compared; the same holds for empty ones.
 */
const unseenKinds = (simulated: Kinds, recorded: Kinds): ReadonlyArray<string> =>
  [filled, unfilled].flatMap((part) => {
    const known = part(recorded.kinds)
    return known.size === 0 ? [] : without(part(simulated.kinds), known)
  })

/** Whether a member is in the envelope of a record or of a list of records. */
const isEnvelope = (path: string, records: string) =>
  records !== "" && ![".", "["].some((next) => path.startsWith(records + next))

/** Whether recordings hide the name of a member: they say `<id>` for names such as `lead_id`. */
const isHidden = (path: string, recorded: Shape) => {
  const parent = parentOf(path)
  return path.endsWith("_id") && (parent === "" ? "<id>" : `${parent}.<id>`) in recorded
}

/**
 * Compares a simulated answer with a recorded one and returns one line per path that differs. `records`: path of the record or
 * records in the envelope; empty if the answer is the record itself.
 */
export const differencesOf = (simulated: Shape, recorded: Shape, records: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const [path, kinds] of Object.entries(simulated)) {
    if (path === "") continue
    const known = recorded[path]
    if (known === undefined) {
      const parent = recorded[parentOf(path)]
      const isNew = parentOf(path) === "" || (parent !== undefined && filled(parent.kinds).size > 0)
      if (isNew && !isHidden(path, recorded))
        found.set(path, `only the simulator has it (${[...kinds.kinds].join("|")})`)
      continue
    }
    const unseen = unseenKinds(kinds, known)
    if (unseen.length > 0) {
      found.set(path, `is ${unseen.join("|")} in the simulator and ${[...known.kinds].join("|")} in reality`)
    }
  }
  for (const [path, { isOptional, kinds }] of Object.entries(recorded)) {
    const isMissing = !(path in simulated) && !isOptional && isEnvelope(path, records)
    if (isMissing && parentOf(path) in { ...simulated, "": true }) {
      found.set(path, `only reality has it (${[...kinds].join("|")})`)
    }
  }
  return found
}
