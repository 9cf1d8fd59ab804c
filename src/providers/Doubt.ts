/** An assumption that only a real account of the provider can verify, or something that ends. */
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
