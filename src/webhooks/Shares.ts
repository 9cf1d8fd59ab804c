import type { Share, Waiting } from "./Outbox.ts"

/** How many deliveries are attempted at a time. */
export interface Limits {
  readonly ofProcess: number
  readonly ofWebhook: number
}

/** An organisation may have this part of what the others leave, so that none holds up another, however many wait for it. */
const part = 1 / 4

/**
 * How many deliveries of each webhook are to be attempted now, beside those that are under way: round after round, one for
 * the organisation that has the fewest, and of its webhooks for the one that has the fewest.
 */
export const sharesOf = (
  waiting: ReadonlyArray<Waiting>,
  underWay: ReadonlyArray<Pick<Waiting, "webhook" | "organisation">>,
  { ofProcess, ofWebhook }: Limits
): ReadonlyArray<Share> => {
  const held = new Map<string, number>()
  const heldBy = (id: string) => held.get(id) ?? 0
  const hold = ({ organisation, webhook }: Pick<Waiting, "webhook" | "organisation">) => {
    held.set(webhook, heldBy(webhook) + 1)
    held.set(organisation, heldBy(organisation) + 1)
  }
  for (const one of underWay) hold(one)

  const isBefore = (a: Waiting, b: Waiting) =>
    (heldBy(a.organisation) - heldBy(b.organisation) || heldBy(a.webhook) - heldBy(b.webhook)) < 0

  const taken = new Map<string, number>()
  for (let left = ofProcess - underWay.length; left > 0; left -= 1) {
    const mayHold = (organisation: string) => Math.ceil((left + heldBy(organisation)) * part)
    let next: Waiting | undefined
    for (const one of waiting) {
      const { due, organisation, webhook } = one
      const isOpen =
        (taken.get(webhook) ?? 0) < due && heldBy(webhook) < ofWebhook && heldBy(organisation) < mayHold(organisation)
      if (isOpen && (next === undefined || isBefore(one, next))) next = one
    }
    if (next === undefined) break
    hold(next)
    taken.set(next.webhook, (taken.get(next.webhook) ?? 0) + 1)
  }
  return [...taken].map(([webhook, take]) => ({ webhook, take }))
}
