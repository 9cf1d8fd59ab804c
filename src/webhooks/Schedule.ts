/** Seconds from each attempt to the next; after the last there is no more: 69 hours in all. */
export const waits = [1, 5, 15, 60, 5 * 60, 30 * 60, 2 * 3600, 6 * 3600, ...Array.from({ length: 5 }, () => 12 * 3600)]

/** Seconds until the next attempt after so many that failed, at least those that the endpoint asks for; undefined: it was the last. */
export const waitAfter = (attempts: number, asked: number): number | undefined => {
  const wait = waits[attempts - 1]
  return wait === undefined ? undefined : Math.max(wait, asked)
}
