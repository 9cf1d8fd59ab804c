import type { Fields, Resource, Shape } from "../canonical/Resource.ts"
import {
  type Bundle,
  type Draft,
  type Entry,
  type FieldEntry,
  getPath,
  type GroupEntry,
  isNative,
  type LinesEntry,
  listIn,
  type Native,
  natives,
  setPath,
  type SlotsEntry,
  type Variant
} from "./Mapping.ts"
import type { RecordContext } from "./Transform.ts"

/** A record in canonical shape, still without what the service itself adds (`id`, `providerSlug`, `providerId`, stamps). */
export type Decoded = Draft

type Step = (out: Draft, record: Native, bundle: Bundle, context: RecordContext) => void

const none: ReadonlyArray<unknown> = Object.freeze([])

/** Every field of a shape with its "no value": the template records are copied from, so that all have one layout. */
export const template = (fields: Fields): Draft =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field.access !== "wo")
      .map(([name, field]) => [name, field.kind === "list" ? none : null])
  )

/** A getter for a dotted path, unrolled for the depths that occur. */
const getter = (path: string): ((record: Native) => unknown) => {
  if (listIn(path) !== undefined || path.startsWith("[")) return (record) => getPath(record, path)
  const [a = "", b, c, ...more] = path.split(".")
  if (b === undefined) return (record) => record[a]
  if (c === undefined) {
    return (record) => {
      const first = record[a]
      return isNative(first) ? first[b] : undefined
    }
  }
  return more.length === 0
    ? (record) => {
        const first = record[a]
        const second = isNative(first) ? first[b] : undefined
        return isNative(second) ? second[c] : undefined
      }
    : (record) => getPath(record, path)
}

const fieldStep = (entry: FieldEntry): Step => {
  const get = getter(entry.native)
  const { canonical, transform } = entry
  if (canonical.includes(".")) {
    return (out, record, _, context) => {
      const value = get(record)
      setPath(out, canonical, value === undefined || value === null ? null : transform.decode(value, context))
    }
  }
  return (out, record, _, context) => {
    const value = get(record)
    if (value !== undefined && value !== null) out[canonical] = transform.decode(value, context)
  }
}

const groupStep = (entry: GroupEntry): Step => {
  const getters = entry.native.map(getter)
  return (out, record) => {
    const values = entry.decode(getters.map((get) => get(record)))
    entry.canonical.forEach((name, i) => {
      out[name] = values[i] ?? null
    })
  }
}

const slotsStep = (entry: SlotsEntry, shape: Shape): Step => {
  const blank = template(shape.fields)
  const places = entry.slots.map((slot) => ({
    is: slot.is,
    steps: slot.entries.map((part) => stepOf(part, shape, ""))
  }))
  const { canonical, label } = entry
  return (out, record, bundle, context) => {
    const found: Array<Draft> = []
    for (const place of places) {
      const item = { ...blank }
      for (const step of place.steps) step(item, record, bundle, context)
      let empty = true
      for (const key in item) {
        const value = item[key]
        if (value !== null && value !== none) {
          empty = false
          break
        }
      }
      if (empty) continue
      if (label !== null) item[label] = place.is
      found.push(item)
    }
    out[canonical] = found
  }
}

const linesStep = (entry: LinesEntry, shape: Shape, path: string): Step => {
  const get = getter(entry.native)
  const blank = template(shape.fields)
  const forms = entry.forms.map((form) => ({
    where: Object.entries(form.where).map(([path, value]) => ({ get: getter(path), value })),
    steps: form.entries.map((part) => stepOf(part, shape, path))
  }))
  const { canonical, id, view } = entry
  return (out, record, bundle, context) => {
    const held = get(record)
    if (!Array.isArray(held)) return
    const native: ReadonlyArray<unknown> =
      view === undefined ? held : view.open(natives(held), (native) => getPath(record, native))
    const parent = `${path}/${String(out.remote_id)}`
    const found: Array<Draft> = []
    for (const line of native) {
      if (!isNative(line)) continue
      const form = forms.find((one) => one.where.every((test) => test.get(line) === test.value))
      if (form === undefined) continue
      const item = { ...blank }
      for (const step of form.steps) step(item, line, bundle, context)
      if (id !== undefined && line[id] !== undefined) {
        item.remote_id = String(line[id])
        item.id = context.line(parent, String(line[id]))
      }
      found.push(item)
    }
    out[canonical] = found
  }
}

const stepOf = (entry: Entry, shape: Shape, path: string): Step => {
  switch (entry.kind) {
    case "field":
      return fieldStep(entry)
    case "constant": {
      const { canonical, value } = entry
      return (out) => {
        out[canonical] = value
      }
    }
    case "group":
      return groupStep(entry)
    case "slots":
    case "lines": {
      const item = shape.fields[entry.canonical]?.item
      if (item === undefined || !("fields" in item)) return () => {}
      return entry.kind === "slots" ? slotsStep(entry, item) : linesStep(entry, item, path)
    }
    case "computed": {
      const { canonical, decode } = entry
      return (out, record, bundle, context) => {
        const value = decode(record === bundle.record ? bundle : { ...bundle, record, parent: bundle.record }, context)
        if (value !== undefined && value !== null) out[canonical] = value
      }
    }
  }
}

const reads = (entry: Entry) => (entry.kind === "field" ? entry.access !== "write" : true)

/** Compiles the reading half of a variant. Entries run in their order, `remote_id` first. Records have these fields, or all. */
export const compileDecode = (
  resource: Resource,
  variant: Pick<Variant, "nativeType" | "entries">,
  wanted?: ReadonlySet<string>
): ((bundle: Bundle, context: RecordContext) => Decoded) => {
  const isWanted = ([name]: readonly [string, unknown]) => wanted === undefined || wanted.has(name)
  const blank = Object.fromEntries(Object.entries(template(resource.fields)).filter(isWanted))
  const entries = variant.entries.filter(reads)
  const first = entries.filter((entry) => entry.kind === "field" && entry.canonical === "remote_id")
  const steps = [...first, ...entries.filter((entry) => !first.includes(entry))].map((entry) =>
    stepOf(entry, resource, `${resource.category}/${resource.name}/${variant.nativeType}`)
  )
  const whole: ReturnType<typeof compileDecode> = (bundle, context) => {
    const out = { ...blank }
    for (const step of steps) step(out, bundle.record, bundle, context)
    return out
  }
  // an entry may give more fields than the one that is wanted
  return wanted === undefined
    ? whole
    : (bundle, context) => Object.fromEntries(Object.entries(whole(bundle, context)).filter(isWanted))
}
