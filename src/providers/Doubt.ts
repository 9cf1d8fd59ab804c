/** What is assumed of a provider and only a real account can verify, or what ends. */
export interface Doubt {
  /** The assumption, in one sentence. */
  readonly assumed: string
  /** Outcome where it is otherwise, in one sentence. */
  readonly otherwise: string
  /** Address of the page, library or thread that speaks of it. */
  readonly source: string
  /** Day (ISO 8601) from which it no longer holds, because a version or a flow ends; the first of it where a month is named. */
  readonly ends?: string
}
