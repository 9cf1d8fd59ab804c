/** How much there is of what, for the programs of the benchmark to agree on. */

/** End users with one connection each. A connection may make only so many calls at once, so the load is spread. */
export const users = Array.from({ length: 64 }, (_, n) => `user-${n}`)

/** End users with so many connections. */
export const fanOuts = [1, 2, 4]

/** Milliseconds that the provider takes on the connections of a fan-out. */
export const delay = 50
