/** Facts of a provider that watches need to follow its records, each with its source beside the adapter. */
export interface Following {
  /** Calls that the provider lets through, in its smallest plan that has an API. */
  readonly limit: {
    readonly calls: number
    readonly seconds: number
    /** `application`: all connections of this service share them. */
    readonly of: "account" | "application"
  }
  /** Seconds by which a change may show later in lists than its stamp says. */
  readonly lag: number
  /** How its lists tell what was deleted, where they do. */
  readonly deletions?: {
    /** Days for which they do. */
    readonly days: number
    /** `dated`: by when it was; `undated`: by a day or so; `whole`: all that ever was, each time. */
    readonly told: "dated" | "undated" | "whole"
  }
}

/** Of a provider that says nothing. */
export const usualFollowing: Following = { limit: { calls: 10_000, seconds: 86_400, of: "account" }, lag: 120 }
