import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type Answer, SandboxApplication } from "../support/SandboxApplication.ts"

const unescaped = (text: string) => text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))

/** An address that a page leads to, relative to the page, as a path. */
export const pathFrom = (page: string, address: string) => {
  const { pathname, search } = new URL(address, `http://localhost${page}`)
  return pathname + search
}

/** Where an answer leads to. */
export const locationOf = (page: string, answer: Answer) => {
  assert.strictEqual(answer.status, 303, String(answer.body))
  return pathFrom(page, answer.headers.get("location") ?? "")
}

export interface Sending {
  readonly headers?: { readonly [name: string]: string | undefined }
  /** In place of the one of the visitor's own pages. */
  readonly formToken?: string
}

/** A browser with a session's cookie: gets pages, and sends their forms. */
export const visitor = Effect.fnUntraced(function* (cookie: string) {
  const { send } = yield* SandboxApplication
  const own = { cookie, "sec-fetch-site": "same-origin" }
  const get = (path: string) => send("GET", path, { headers: own })
  const formToken = /name="form_token"\s+value="([^"]+)"/.exec(String((yield* get("/console")).body))?.[1] ?? ""
  return {
    cookie,
    formToken,
    get,
    /** The text of a page, as it is read. */
    read: (path: string) =>
      Effect.map(get(path), (answer) => {
        assert.strictEqual(answer.status, 200, String(answer.body))
        return unescaped(
          String(answer.body)
            .replace(/<[^>]*>/g, " ")
            .replace(/\s+/g, " ")
        )
      }),
    post: (path: string, fields: { readonly [name: string]: string } = {}, sending: Sending = {}) =>
      send("POST", path, {
        body: new URLSearchParams({ form_token: sending.formToken ?? formToken, ...fields }).toString(),
        headers: { ...own, "content-type": "application/x-www-form-urlencoded", ...sending.headers }
      })
  }
})

/** Signs in with a key; returns the answer. */
export const trySignIn = Effect.fnUntraced(function* (key: string, headers: Sending["headers"] = {}) {
  const { send } = yield* SandboxApplication
  return yield* send("POST", "/console/sign-in", {
    body: new URLSearchParams({ key }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers }
  })
})

export const cookieOf = (answer: Answer) => answer.headers.get("set-cookie")?.split(";")[0] ?? ""

export const signIn = (key: Redacted.Redacted) =>
  Effect.flatMap(trySignIn(Redacted.value(key)), (answer) => {
    assert.strictEqual(locationOf("/console/sign-in", answer), "/console")
    return visitor(cookieOf(answer))
  })
