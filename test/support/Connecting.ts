import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type Answer, type Caller, type Doc, recordOf, SandboxApplication } from "./SandboxApplication.ts"

/** Where the application says it is, when nothing else is set. */
export const publicUrl = "http://127.0.0.1:3000"

/** An address of the application as the path that it is called with. */
export const pathOf = (address: string, base = publicUrl): string => {
  assert.isTrue(address.startsWith(`${base}/`), `${address} is not the application's`)
  return address.slice(base.length)
}

const Attempt = Schema.decodeUnknownSync(
  Schema.Struct({
    status: Schema.Literal("pending", "choose", "connected", "denied", "failed", "expired"),
    message: Schema.NullOr(Schema.String),
    choices: Schema.NullOr(Schema.Array(Schema.Struct({ value: Schema.String, label: Schema.String }))),
    connectionId: Schema.NullOr(Schema.String)
  }),
  { onExcessProperty: "error" }
)

/** A session's token, and what can be done with it. */
export const withToken = Effect.fnUntraced(function* (token: string) {
  const { send } = yield* SandboxApplication
  const call = (method: string, path: string, body?: unknown) =>
    send(method, `/connect/session${path}`, { body, headers: { authorization: `Bearer ${token}` } })
  return {
    token,
    call,
    attempt: (id: string) => Effect.map(call("GET", `/attempts/${id}`), (answer) => Attempt(recordOf(answer)))
  }
})

/** A connect session of a caller's end user. */
export const session = (caller: Caller, given: Doc = {}) =>
  Effect.gen(function* () {
    const answer = yield* caller.call("POST", "/connect/token", { body: { endUserId: caller.endUser, ...given } })
    return yield* withToken(String(recordOf(answer).token))
  })

export type Session = Effect.Effect.Success<ReturnType<typeof session>>

/** Entries and choices on the way to a connection. */
export interface Ways {
  readonly fields?: { readonly [name: string]: string }
  readonly connectionId?: string
  /** The end user's decision on the consent page. */
  readonly decides?: { readonly [name: string]: string }
  /** Changes the redirect on its way through the browser. */
  readonly altered?: (redirect: URL) => void
}

/** Begins an attempt; gives it and the address that leads to consent. */
export const begin = Effect.fnUntraced(function* (own: Session, slug: string, { connectionId, fields }: Ways = {}) {
  const begun = recordOf(yield* own.call("POST", `/${slug}/authorize`, { fields, connectionId }))
  return { id: String(begun.attemptId), way: String(begun.authorizeUrl) }
})

/** Goes on from the connect page; gives the address of the consent page, and what the browser keeps. */
export const go = Effect.fnUntraced(function* (way: string, base = publicUrl) {
  const { send } = yield* SandboxApplication
  const answer = yield* send("GET", pathOf(way, base), { headers: { "sec-fetch-site": "same-origin" } })
  assert.strictEqual(answer.status, 303, String(answer.body))
  const [cookie = ""] = answer.headers.getSetCookie()
  return { address: answer.headers.get("location") ?? "", cookie: cookie.split(";")[0] ?? "", answer }
})

/** Asks for consent; gives the attempt, the address of the consent page, and what the browser keeps. */
export const authorize = Effect.fnUntraced(function* (own: Session, slug: string, ways: Ways = {}) {
  const begun = yield* begin(own, slug, ways)
  return { ...begun, ...(yield* go(begun.way)) }
})

/** Sends the end user's decision to the consent page; returns its answer. */
export const decide = Effect.fnUntraced(function* (address: string, decides?: Ways["decides"]) {
  const { send } = yield* SandboxApplication
  return yield* send("POST", pathOf(address), {
    body: new URLSearchParams(decides ?? { decision: "allow" }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" }
  })
})

/** Follows a redirect back to the application, with the cookie that the browser keeps. */
export const follow = Effect.fnUntraced(function* (
  answer: Answer,
  cookie: string,
  altered: Ways["altered"] = () => {}
) {
  const { send } = yield* SandboxApplication
  assert.strictEqual(answer.status, 303, String(answer.body))
  const redirect = new URL(answer.headers.get("location") ?? "")
  altered(redirect)
  return yield* send("GET", pathOf(redirect.href), { headers: { cookie } })
})

/** The whole way through consent, as a browser goes it; gives the page at its end and how the attempt stands. */
export const consent = Effect.fnUntraced(function* (own: Session, slug: string, ways: Ways = {}) {
  const begun = yield* authorize(own, slug, ways)
  const page = yield* follow(yield* decide(begun.address, ways.decides), begun.cookie, ways.altered)
  return { id: begun.id, page, ...(yield* own.attempt(begun.id)) }
})
