import type { Caller } from "./base/Upstream.ts"

/** Marks that tell whose data a request to a provider is about, with the names of the credentials' values for them. */
export interface AccountMarks {
  /** How every path begins, as `/v3/company/:realmId`; callers may write it just so. */
  readonly path?: string
  /** Headers, in lower case. The endpoint sets those that the provider needs. */
  readonly headers?: { readonly [name: string]: string }
  /** Parameters of the query, which calls that leave them out get; the provider reads them in forms and JSON, too. */
  readonly query?: { readonly [name: string]: string }
}

/** A provider's own API, which callers use past the canonical resources (`/passthrough`) with a connection's credentials. */
export interface NativeApi {
  readonly call: Caller
  /** The address that callers' paths follow, without a slash at the end; `{…}` stands for what depends on the account. */
  readonly root: string
  /**
   * Paths, in lower case, that must not be called, nor any below them: they hand out tokens, manage consent, tell of other
   * accounts than the connection's, or take other credentials. `/services/soap*` is all that begin so.
   */
  readonly closed?: ReadonlyArray<string>
  /** Request headers of its own that are passed on, in lower case; `sforce-*` are all that begin so. */
  readonly headers?: ReadonlyArray<string>
  /** Parameters of its own that carry credentials, beside those of OAuth (`access_token`): calls with them are refused. */
  readonly credentials?: ReadonlyArray<string>
  /** Always the connection's; absent: the token alone says it, or the host. */
  readonly account?: AccountMarks
}

/** Fault of such a declaration. */
export const faultsOfApi = ({
  account = {},
  call,
  closed = [],
  headers = [],
  root
}: NativeApi): ReadonlyArray<string> => [
  ...(typeof call === "function" ? [] : ["api.call must be what Upstream's caller gives"]),
  ...(/^https?:\/\/[^/?#]+(\/[^/?#]+)*$/.test(root) ? [] : ["api.root must be an address without a slash at its end"]),
  ...closed
    .filter((path) => !/^(\/[^/]+)+$/.test(path) || path !== path.toLowerCase())
    .map((path) => `api.closed: "${path}" must begin with a slash, end with none, and be in lower case`),
  ...[...headers, ...Object.keys(account.headers ?? {})]
    .filter((name) => name !== name.toLowerCase())
    .map((name) => `api: the name of the header "${name}" must be in lower case`)
]
