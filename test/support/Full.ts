/** Whether this is `npm run test:all`, or `TEST_ALL=rest` for the part of it that `npm test` leaves out. */
export const isFull = (process.env["TEST_ALL"] ?? "") !== ""

/** A stand-in on which tests can be declared as on the original, and which declares none. */
const silent = <T extends object>(target: T): T =>
  new Proxy<T>(target, {
    get: (of, name) => {
      const member: unknown = Reflect.get(of, name)
      return typeof member === "function" || (typeof member === "object" && member !== null) ? silent(member) : member
    },
    apply: () => silent(() => undefined)
  })

/**
 * Declares tests that only `npm run test:all` runs, because they take long and their feature's main path is tested beside
 * them: `full(it).effect("…", …)`, `full(describe)("…", …)`. A file of nothing else is named `*.full.test.ts`.
 */
export const full = <T extends object>(declare: T): T => (isFull ? declare : silent(declare))

/** The first of some cases; all of them in `npm run test:all`. */
export const firstOf = <A>(cases: ReadonlyArray<A>): ReadonlyArray<A> => (isFull ? cases : cases.slice(0, 1))
