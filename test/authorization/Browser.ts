import { Schema } from "effect"

/** Answers requests, as the application does without a port. */
export type Handle = (request: Request) => Promise<Response>

interface Cookie {
  readonly value: string
  readonly path: string
}

/** Does as a person's browser does: keeps cookies by their paths, and follows what pages lead to. */
export const makeBrowser = (handle: Handle, base = "http://127.0.0.1:3000") => {
  const jar = new Map<string, Cookie>()

  const step = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname } = new URL(url)
    const cookie = [...jar]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name.split(" ")[0]}=${value}`)
      .join("; ")
    const headers = new Headers(init.headers)
    if (cookie !== "") headers.set("cookie", cookie)
    headers.set("accept", "text/html")
    const answer = await handle(new Request(url, { ...init, headers }))
    for (const line of answer.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(";")
      const [name = "", ...value] = pair.split("=")
      const path = attributes.find((one) => one.trim().toLowerCase().startsWith("path="))?.split("=")[1] ?? "/"
      if (/expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(`${name} ${path}`)
      else jar.set(`${name} ${path}`, { value: value.join("="), path })
    }
    return answer
  }

  const post = (
    url: string,
    fields: { readonly [name: string]: string },
    headers: { readonly [name: string]: string } = {}
  ) =>
    step(url, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { "sec-fetch-site": "same-origin", origin: new URL(url).origin, ...headers }
    })

  /** Follows redirects from an address until a page, or until an address that is not the application's. */
  const follow = async (start: string): Promise<{ readonly url: string; readonly answer: Response | undefined }> => {
    let url = start
    for (let hop = 0; hop < 20; hop += 1) {
      if (!url.startsWith(`${base}/`)) return { url, answer: undefined }
      const answer = await step(url)
      const next = answer.headers.get("location")
      if (next === null) return { url, answer }
      url = new URL(next, url).href
    }
    throw new Error("too many redirects")
  }

  /** Follows what a form leads to. */
  const submit = async (url: string, fields: { readonly [name: string]: string }) => {
    const answer = await post(url, fields)
    const next = answer.headers.get("location")
    if (next === null) return { url, answer }
    return follow(new URL(next, url).href)
  }

  return { step, post, follow, submit }
}

export type Browser = ReturnType<typeof makeBrowser>

const allowed = { answer: "allow" }

/** Goes from the address of an authorization to where the program is answered, as the end user of the sandbox's page. */
export const consentAs = async (
  browser: Browser,
  start: string,
  endUser: string,
  decision: { readonly [name: string]: string } = allowed
): Promise<URL> => {
  const pick = await browser.follow(start)
  if (!pick.url.includes("/oauth/sandbox/"))
    throw new Error(`no page to pick: ${pick.url} ${await pick.answer?.text()}`)
  const consent = await browser.submit(pick.url, { end_user: endUser })
  if (!consent.url.includes("/oauth/interaction/")) throw new Error(`no consent: ${consent.url}`)
  if (consent.answer?.status !== 200) throw new Error(`no consent: ${await consent.answer?.text()}`)
  const done = await browser.submit(consent.url, decision)
  if (done.answer !== undefined) throw new Error(`stuck at ${done.url}: ${await done.answer.text()}`)
  return new URL(done.url)
}

const Json = Schema.decodeUnknownSync(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

export const json = async (answer: Response) => Json(await answer.json())
