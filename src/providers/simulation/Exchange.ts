/** A request as a simulator sees it. */
export interface SimulatedRequest {
  readonly method: string
  readonly path: string
  readonly params: { readonly [name: string]: string }
  readonly query: URLSearchParams
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string | undefined }
  /** The body as it came. */
  readonly text: string
  readonly bytes: Uint8Array
  /** Milliseconds after which its answer is sent; absent: at once. */
  readonly answeredAfter?: number
}

/** An answer; `body` is sent as JSON unless it is a string or bytes. */
export interface Reply {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: unknown
}
