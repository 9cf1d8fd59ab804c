import type { Shape } from "../canonical/Resource.ts"
import { type Draft, isNative, setPath, type SlotsEntry } from "./Mapping.ts"
import { type Body, encodeField, encodeGroup, heldBy, isList, leaveOutUnheld, type Writer } from "./Writer.ts"

/** A fax number is no telephone's, so no other entry is put in its place. */
const isForOthers = ({ is }: SlotsEntry["slots"][number]) => is !== "FAX"

export const encodeSlots = (writer: Writer, entry: SlotsEntry, shape: Shape, value: unknown, draft: Draft) => {
  const { provider } = writer
  const items = isList(value) ? value.filter(isNative) : []
  const free = new Set(entry.slots)
  const labelOf = (item: Body) => (entry.label === null ? null : (item[entry.label] ?? null))
  const taken = new Map<Body, SlotsEntry["slots"][number]>()
  const take = (item: Body, slot: SlotsEntry["slots"][number] | undefined) => {
    if (slot === undefined) return
    taken.set(item, slot)
    free.delete(slot)
  }
  // several places may have one label, or none: they are filled in their order
  for (const item of items) {
    const label = labelOf(item)
    if (label !== null)
      take(
        item,
        [...free].find(({ is }) => is === label)
      )
  }
  // a label is advice: entries left over take the places left over, first those without a label
  for (const [i, item] of items.entries()) {
    if (taken.has(item)) continue
    const label = labelOf(item)
    const left = label === "FAX" ? [] : [...free].filter(isForOthers)
    const slot = left.find(({ is }) => is === null) ?? left[0]
    take(item, slot)
    const path = `${entry.canonical}.${i}`
    const labelPath = `${path}.${String(entry.label)}`
    if (slot === undefined) {
      const places = entry.slots.flatMap(({ is }) => is ?? [])
      const most = places.length === 0 ? entry.slots.length : `one ${places.join(", one ")}`
      writer.context.warn(path, "NOT_HELD", `${provider} holds at most ${most} here`)
    } else if (label !== null) {
      writer.context.warn(
        labelPath,
        slot.is === null ? "NOT_HELD" : "CHANGED",
        `is held ${slot.is === null ? "without it" : `as ${slot.is}`}`
      )
    }
  }
  for (const [item, slot] of taken) {
    const prefix = `${entry.canonical}.${items.indexOf(item)}.`
    const held = heldBy(slot.entries)
    if (entry.label !== null) held.add(entry.label)
    leaveOutUnheld(writer, item, shape, held, prefix)
    // the list is written as a whole: what an entry leaves out is cleared
    const whole: Writer = writer.mode === "patch" ? { ...writer, mode: "replace" } : writer
    for (const part of slot.entries) {
      if (part.kind === "field") encodeField(whole, part, item[part.canonical], draft, prefix + part.canonical)
      else encodeGroup(whole, part, item, draft, undefined, prefix)
    }
  }
  if (writer.mode === "create") return
  for (const slot of free) {
    for (const part of slot.entries) {
      for (const native of part.kind === "field" ? [part.native] : part.native) setPath(draft, native, writer.blank)
    }
  }
}
