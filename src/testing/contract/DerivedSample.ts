import { Effect, Either, Schema } from "effect"
import { type Field, type Fields, isShape, type Resource, type Shape } from "../../canonical/Resource.ts"
import { compile } from "../../mapping/Compile.ts"
import { type ComputedEntry, type Entry, natives } from "../../mapping/Mapping.ts"
import type { Transform } from "../../mapping/Transform.ts"
import { rulesOf } from "../../providers/Needs.ts"
import type { ResourceAdapter } from "../../providers/ProviderAdapter.ts"
import { type Call, type Doc, pageOf } from "./Answers.ts"
import type { PartialSample, Sample } from "./Sample.ts"

// A sample made of the mapping: each field that it writes gets a value by its canonical type, and another one to change it to.

interface Of {
  readonly provider: string
  readonly resource: Resource
  readonly resourceAdapter: ResourceAdapter
}

/** A value that a field can have, and one to change it to. */
interface Values {
  readonly first: unknown
  readonly second?: unknown
}

type Named = ReadonlyArray<readonly [field: string, values: Values]>

/** Records of the sample that references lead to, by resource. */
type Targets = ReadonlyMap<string, ReadonlyArray<Doc>>

/** Texts by what the name of a field says of them. */
const texts: ReadonlyArray<readonly [RegExp, string, string]> = [
  [/_type$/, "WORK", "HOME"],
  [/email/, "ada@engine.example", "grace@compiler.example"],
  // as most providers write it, whatever they are sent
  [/phone/, "+14155550101", "+14155550199"],
  [/first_name/, "Ada", "Grace"],
  [/last_name/, "Lovelace", "Hopper"],
  [/website|url/, "https://engine.example", "https://compiler.example"],
  [/currency/, "USD", "EUR"],
  [/country/, "US", "GB"]
]

const isPlainText = (name: string, { kind, values }: Field) =>
  kind === "text" && values === undefined && !texts.some(([says]) => says.test(name))

/** Values of a canonical type, in the order in which they are tried. */
const candidates = (name: string, field: Field, targets: Targets): ReadonlyArray<unknown> => {
  switch (field.kind) {
    case "text":
      return field.values ?? texts.find(([says]) => says.test(name))?.slice(1) ?? [`A ${name}`, `Another ${name}`]
    case "date":
      return ["2027-03-31", "2027-04-30"]
    case "dateTime":
      return name.startsWith("end")
        ? ["2027-02-15T14:30:00.000Z", "2027-02-15T15:00:00.000Z"]
        : ["2027-02-15T00:00:00.000Z", "2027-02-14T00:00:00.000Z"]
    case "number":
      return [120.5, 80, 0.5, 0.25]
    case "integer":
      return [12, 7]
    case "boolean":
      return [true, false]
    case "decimal":
      return ["1.25", "1.5"]
    case "reference":
    case "providerId":
      return (field.targets ?? []).flatMap((target) =>
        (targets.get(target) ?? []).map(({ id, remote_id }) =>
          field.kind === "reference" ? String(id).replace("urn:uuid:", "") : remote_id
        )
      )
    case "list":
      return listed(field.item, targets)
    case "object":
      return []
  }
}

/** Lists of one entry each. */
const listed = (item: Field | Shape | undefined, targets: Targets): ReadonlyArray<unknown> => {
  if (item === undefined) return []
  if (!isShape(item)) return candidates("", item, targets).map((value) => [value])
  const named = Object.entries(item.fields).flatMap(([name, field]) => {
    const values = field.required ? among(field, candidates(name, field, targets)) : undefined
    return values === undefined ? [] : [[name, values] as const]
  })
  return named.length === 0 ? [] : [[firsts(named)], [seconds(named)]]
}

const firsts = (named: Named): Doc => Object.fromEntries(named.map(([name, { first }]) => [name, first]))

const seconds = (named: Named): Doc =>
  Object.fromEntries(named.map(([name, { first, second = first }]) => [name, second]))

/** Two of the candidates that the field takes, and its transform: an enumeration may lack some. */
const among = (field: Field, tried: ReadonlyArray<unknown>, transform?: Transform): Values | undefined => {
  const isValue: (value: unknown) => boolean = Schema.is(field.in)
  const isTaken = (value: unknown) => {
    let taken = isValue(value)
    // a reference is resolved by the application
    if (field.kind === "reference") return taken
    const refuse = () => {
      taken = false
    }
    transform?.encode(value, { resolve: () => undefined, refuse, warn: refuse }, "")
    return taken
  }
  const [first, second] = tried.filter(isTaken)
  return first === undefined ? undefined : second === undefined ? { first } : { first, second }
}

/** The fields that an entry writes, with values. */
const written = (entry: Entry, fields: Fields, targets: Targets): Named => {
  const plain = (name: string, transform?: Transform): Named => {
    const field = fields[name]
    if (field?.access !== "rw") return []
    const values = among(field, candidates(name, field, targets), transform)
    return values === undefined ? [] : [[name, values]]
  }
  switch (entry.kind) {
    case "field":
      return entry.access === "read" ? [] : plain(entry.canonical, entry.transform)
    case "group":
      return entry.canonical.flatMap((name) => plain(name))
    case "computed":
      return entry.encode === undefined ? [] : plain(entry.canonical)
    case "constant":
      return []
    case "slots": {
      const inner = innerOf(fields[entry.canonical])
      const places = entry.slots.map(({ entries, is }) => ({
        label: entry.label === null ? {} : { [entry.label]: is },
        named: entries.flatMap((part) => written(part, inner, targets))
      }))
      const [place] = places
      if (place === undefined || place.named.length === 0) return []
      const first = places.map(({ label, named }) => ({ ...label, ...firsts(named) }))
      return [[entry.canonical, { first, second: [{ ...place.label, ...seconds(place.named) }] }]]
    }
    case "lines": {
      const inner = innerOf(fields[entry.canonical])
      const [form] = entry.forms
      const named = form?.entries.flatMap((part) => written(part, inner, targets)) ?? []
      return named.length === 0 ? [] : [[entry.canonical, { first: [firsts(named)], second: [seconds(named)] }]]
    }
  }
}

const innerOf = (field: Field | undefined): Fields =>
  field?.access === "rw" && isShape(field.item) ? field.item.fields : {}

/** Whether clearing the entry changes nothing: it is of another record, or of what no record is ever without. */
const isKept = (entry: Entry) =>
  entry.isElsewhere === true || (entry.kind === "computed" && (entry.fills === true || ignoresNull(entry)))

const ignoresNull = ({ encode }: ComputedEntry) => {
  let isIgnored = true
  const note = () => {
    isIgnored = false
  }
  return Either.match(
    Either.try(() =>
      encode?.(null, {
        mode: "create",
        body: {},
        current: undefined,
        lookups: {},
        today: "2026-03-02",
        parent: undefined,
        prefix: "",
        get: () => undefined,
        resolve: () => undefined,
        refuse: note,
        warn: note,
        set: note,
        step: note
      })
    ),
    { onLeft: () => false, onRight: () => isIgnored }
  )
}

/** Fields that a create must have, by the catalogue and by what the provider needs. */
const neededOf = ({ resourceAdapter, resource }: Of, named: Named): ReadonlyArray<string> => {
  const has = (name: string) => named.some(([field]) => field === name)
  const fromRules = rulesOf(resource, resourceAdapter)
    .filter(({ when }) => when === undefined)
    .flatMap(({ fields, rule }) => {
      const roots = fields.map((path) => path.replace(/\[\].*$/, ""))
      return rule === "required" ? roots : rule === "oneOf" ? roots.filter(has).slice(0, 1) : []
    })
  const fromFields = Object.entries(resource.fields)
    .filter(([, { required }]) => required)
    .map(([name]) => name)
  return [...new Set([...fromFields, ...fromRules])]
}

/** A stage is one of its pipeline: both are of the one that a deal is in by default. */
const oneOfDefault = (pipelines: ReadonlyArray<Doc>) =>
  pipelines
    .filter(({ is_default }) => is_default === true)
    .concat(pipelines)
    .slice(0, 1)

const targetsOf = (of: Of, call: Call, wanted: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const found = new Map<string, ReadonlyArray<Doc>>()
    for (const name of new Set(wanted.map((target) => target.replace(/\..*$/, "")))) {
      const answer = yield* call("GET", `/${of.resource.category}/${name}?provider=${of.provider}&limit=2`)
      const records = answer.status === 200 ? pageOf(answer).data : []
      found.set(name, name === "pipeline" ? oneOfDefault(records) : records)
    }
    return found.set("pipeline.stage", natives(found.get("pipeline")?.[0]?.stages))
  })

/** Records that references of these fields lead to. */
const targetNames = (fields: Fields): ReadonlyArray<string> =>
  Object.values(fields).flatMap(({ item, targets = [] }) => [
    ...targets,
    ...(isShape(item) ? targetNames(item.fields) : (item?.targets ?? []))
  ])

/** Native types of the resource that a body can make. */
export const derivedKinds = ({ resourceAdapter, provider, resource }: Of): ReadonlyArray<string> => {
  const compiled = compile(provider, resource, resourceAdapter.mapping)
  return resourceAdapter.mapping.variants
    .filter(({ nativeType, when = {} }) => compiled.choose(when)?.nativeType === nativeType)
    .map(({ nativeType }) => nativeType)
}

/** A sample of a native type; `given` has what is known of it. Dies where the mapping does not tell enough. */
export const derived = Effect.fn("Contract.derived")(function* (
  of: Of,
  kind: string,
  call: Call,
  given: PartialSample
) {
  const { resourceAdapter, provider, resource } = of
  const { variants } = resourceAdapter.mapping
  const variant = variants.find(({ nativeType }) => nativeType === kind) ?? variants[0]
  const missing = (what: string) =>
    Effect.dieMessage(
      `No sample of ${provider} ${resource.category}/${resource.name} can be derived: ${what}. Give ` +
        `samples.${resource.name}.${kind} (full, least, change, kept, text).`
    )
  if (variant === undefined) return yield* missing("its mapping has no native type")

  const { entries, when = {} } = variant
  const wanted = targetNames(
    Object.fromEntries(
      entries
        .flatMap((entry) => (entry.kind === "group" ? entry.canonical : [entry.canonical]))
        .flatMap((name) => {
          const field = resource.fields[name]
          return field?.access === "rw" ? [[name, field] as const] : []
        })
    )
  )
  const targets = yield* targetsOf(of, call, wanted)
  const named = entries.flatMap((entry) => written(entry, resource.fields, targets)).filter(([name]) => !(name in when))
  const least = Object.fromEntries(
    neededOf(of, named).flatMap((name) => {
      const values = named.find(([field]) => field === name)?.[1]
      return values === undefined ? [] : [[name, values.first]]
    })
  )
  const unmet = neededOf(of, named).find((name) => !(name in least) && !(name in when))
  if (unmet !== undefined && given.least === undefined) {
    return yield* missing(`${unmet} is needed, and the mapping or the simulator's sample gives no value for it`)
  }
  const plain = named.flatMap(([name]) => {
    const field = resource.fields[name]
    return field !== undefined && isPlainText(name, field) ? [name] : []
  })
  const text = given.text ?? plain.find((name) => !(name in least)) ?? plain[0]
  if (text === undefined) return yield* missing("it writes no text field that holds anything")
  const amount = named.find(([, { first }]) => first === 120.5)?.[0]
  return {
    full: { ...when, ...firsts(named) },
    least: { ...when, ...least },
    change: Object.fromEntries(named.flatMap(([name, { second }]) => (second === undefined ? [] : [[name, second]]))),
    kept: entries.filter(isKept).flatMap((entry) => (entry.kind === "group" ? entry.canonical : [entry.canonical])),
    text,
    ...(amount === undefined
      ? {}
      : {
          amount: {
            body: (value: number) => ({ ...when, ...least, [amount]: value }),
            read: (record: Doc) => record[amount]
          }
        })
  } satisfies Sample
})
