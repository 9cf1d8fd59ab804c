/** How much is done at a time. */
export interface Limits {
  readonly ofProcess: number
  readonly ofQueue: number
}

/** Something in a queue of an organisation. */
export interface Owned {
  readonly organisation: string
}

/** A queue in which something is due: as much as was looked for, or less. */
export interface Waiting extends Owned {
  readonly due: number
}

/** An organisation may have this part of what the others leave, so that none holds up another, however much waits for it. */
const part = 1 / 4

/**
 * How much of each queue is to be taken now, beside what is under way: round after round, one for the organisation that has
 * the least, and of its queues for the one that has the least. `queueOf` names the queue that something belongs to.
 */
export const sharesOf = <Queue extends Waiting, Held extends Owned>(
  waiting: ReadonlyArray<Queue>,
  underWay: ReadonlyArray<Held>,
  { ofProcess, ofQueue }: Limits,
  queueOf: (one: Queue | Held) => string
): ReadonlyArray<Queue & { readonly take: number }> => {
  const held = { of: new Map<string, number>(), by: new Map<string, number>() }
  const heldOf = (one: Queue | Held) => held.of.get(queueOf(one)) ?? 0
  const heldBy = ({ organisation }: Owned) => held.by.get(organisation) ?? 0
  const hold = (one: Queue | Held) => {
    held.of.set(queueOf(one), heldOf(one) + 1)
    held.by.set(one.organisation, heldBy(one) + 1)
  }
  for (const one of underWay) hold(one)

  const isBefore = (a: Queue, b: Queue) => (heldBy(a) - heldBy(b) || heldOf(a) - heldOf(b)) < 0

  const taken = new Map<Queue, number>()
  for (let left = ofProcess - underWay.length; left > 0; left -= 1) {
    let next: Queue | undefined
    for (const one of waiting) {
      const isOpen =
        (taken.get(one) ?? 0) < one.due && heldOf(one) < ofQueue && heldBy(one) < Math.ceil((left + heldBy(one)) * part)
      if (isOpen && (next === undefined || isBefore(one, next))) next = one
    }
    if (next === undefined) break
    hold(next)
    taken.set(next, (taken.get(next) ?? 0) + 1)
  }
  return [...taken].map(([one, take]) => ({ ...one, take }))
}
