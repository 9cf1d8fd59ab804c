/** Milliseconds after which is looked for deliveries that another process left. */
const foreign = 5_000

/** The same where there is no webhook: another process has to make one first. */
const none = 60_000

/** Milliseconds after which is looked again for those that a longer transaction of this process makes due. */
const late = 1_000

/** Milliseconds from a look for deliveries to the next, unless something makes one due before; `woken`: something did before this one. */
export const restAfter = (
  { isAny, next }: { readonly isAny: boolean; readonly next: number | null },
  woken: boolean
): number => Math.min(woken ? late : isAny ? foreign : none, next === null ? Infinity : Math.ceil(next))

/** Seconds from each attempt to the next; after the last there is no more: 69 hours in all. */
export const waits = [1, 5, 15, 60, 5 * 60, 30 * 60, 2 * 3600, 6 * 3600, ...Array.from({ length: 5 }, () => 12 * 3600)]

/** Seconds until the next attempt after so many that failed, at least those that the endpoint asks for; undefined: it was the last. */
export const waitAfter = (attempts: number, asked: number): number | undefined => {
  const wait = waits[attempts - 1]
  return wait === undefined ? undefined : Math.max(wait, asked)
}
