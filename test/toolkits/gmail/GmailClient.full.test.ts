import { assert, describe, it } from "@effect/vitest"
import { Effect, Predicate, Schema, type Scope } from "effect"
import { auth, gmail, type gmail_v1 } from "@googleapis/gmail"
import { simulator } from "../../../src/toolkits/gmail/simulator/GmailSimulator.ts"
import { onPort } from "../../support/OnPort.ts"
import { type Claim, misfits } from "../../support/AnswerTypes.ts"

// Google's own client library judges the simulator.

const me = "mira.okafor@larkspur.example"

/** Every answer that a test got, with the type the library gives it: the last test has them compared. */
const answers: Array<Claim> = []

const connected = Effect.map(onPort(simulator), ({ accessToken, refreshToken, url }) => {
  const client = (credentials: { readonly access_token?: string; readonly refresh_token?: string }) => {
    const oauth = new auth.OAuth2({
      clientId: "id",
      clientSecret: "secret",
      redirectUri: "https://app.example/callback",
      endpoints: {
        oauth2AuthBaseUrl: `${url}/o/oauth2/v2/auth`,
        oauth2TokenUrl: `${url}/token`,
        oauth2RevokeUrl: `${url}/revoke`
      }
    })
    oauth.setCredentials(credentials)
    return { oauth, users: gmail({ version: "v1", auth: oauth, rootUrl: url }).users }
  }
  return {
    client,
    refreshToken,
    users: client({ access_token: accessToken }).users,
    /** Makes the next request go wrong. */
    fault: (does: object) =>
      Effect.promise(() => fetch(`${url}/_faults`, { method: "POST", body: JSON.stringify({ does }) }))
  }
})

type Connected = Effect.Effect.Success<typeof connected>

const test = (name: string, use: (connected: Connected) => Effect.Effect<void, never, Scope.Scope>) =>
  it.scopedLive(name, () => Effect.flatMap(connected, use))

/** The data of a library call's answer; `type` names its type. */
const ask = <A>(type: string, call: () => Promise<{ readonly data: A }>) =>
  Effect.map(Effect.promise(call), ({ data }) => {
    answers.push({ type: `gmail_v1.Schema$${type}`, answer: data })
    return data
  })

const Refusal = Schema.decodeUnknownSync(Schema.Struct({ status: Schema.Int, message: Schema.String }))

/** The error that the library throws. */
const refusal = (call: () => Promise<unknown>) =>
  Effect.tryPromise({ try: call, catch: (thrown) => thrown }).pipe(
    Effect.flip,
    Effect.orDieWith(() => new Error("it was not refused")),
    Effect.map((thrown) => Refusal(Predicate.isRecord(thrown) ? thrown : {}))
  )

const raw = (...lines: ReadonlyArray<string>) => Buffer.from(lines.join("\r\n")).toString("base64url")

const textOf = (part: gmail_v1.Schema$MessagePart | undefined) =>
  Buffer.from(part?.body?.data ?? "", "base64url").toString()

const headersOf = ({ payload }: gmail_v1.Schema$Message) =>
  Object.fromEntries((payload?.headers ?? []).map(({ name, value }) => [name ?? "", value]))

const idsOf = (messages: ReadonlyArray<{ readonly id?: string | null }> | undefined) =>
  (messages ?? []).map(({ id }) => id ?? "")

describe("@googleapis/gmail", () => {
  test("knows whose mailbox it is, and searches it page by page", ({ users }) =>
    Effect.gen(function* () {
      const profile = yield* ask("Profile", () => users.getProfile({ userId: "me" }))
      assert.strictEqual(profile.emailAddress, me)

      const found: Array<string> = []
      let pageToken: string | undefined
      do {
        const from = pageToken === undefined ? {} : { pageToken }
        const page = yield* ask("ListMessagesResponse", () =>
          users.messages.list({ userId: me, q: "in:inbox", maxResults: 25, ...from })
        )
        found.push(...idsOf(page.messages))
        pageToken = page.nextPageToken ?? undefined
      } while (pageToken !== undefined)
      assert.isAbove(found.length, 60)
      assert.strictEqual(new Set(found).size, found.length)

      const list = (given: gmail_v1.Params$Resource$Users$Messages$List) =>
        ask("ListMessagesResponse", () => users.messages.list({ userId: "me", ...given }))
      const labelled = yield* list({ labelIds: ["INBOX", "Label_3", "UNREAD"] })
      assert.isAbove(labelled.messages?.length ?? 0, 2)
      assert.includeMembers(found, idsOf(labelled.messages))
      assert.isUndefined((yield* list({ q: "lottery" })).messages)
      assert.lengthOf((yield* list({ q: "lottery", includeSpamTrash: true })).messages ?? [], 1)
    }))

  test("reads messages in the formats that tools ask for", ({ users }) =>
    Effect.gen(function* () {
      const list = yield* ask("ListMessagesResponse", () =>
        users.messages.list({ userId: "me", q: "has:attachment", maxResults: 1 })
      )
      const at = { userId: "me", id: idsOf(list.messages)[0] ?? "" }
      const minimal = yield* ask("Message", () => users.messages.get({ ...at, format: "minimal" }))
      assert.hasAllKeys(minimal, ["id", "threadId", "labelIds", "snippet", "historyId", "internalDate", "sizeEstimate"])
      const metadata = yield* ask("Message", () =>
        users.messages.get({ ...at, format: "metadata", metadataHeaders: ["Subject", "from"] })
      )
      assert.hasAllKeys(headersOf(metadata), ["Subject", "From"])
      const full = yield* ask("Message", () => users.messages.get(at))
      assert.deepInclude(full, minimal)
      assert.strictEqual(full.payload?.mimeType, "multipart/mixed")
      const [text, file] = full.payload?.parts ?? []
      assert.include(textOf(text), "<p>Hello Mira,</p>")
      assert.deepInclude(file, {
        mimeType: "application/pdf",
        filename: `${headersOf(full)["Subject"]?.split(" ")[1]}.pdf`
      })
      assert.isAbove(file?.body?.size ?? 0, 40_000)
      assert.isString(file?.body?.attachmentId)
      assert.strictEqual((yield* refusal(() => users.messages.get({ ...at, format: "brief" }))).status, 400)
    }))

  test("lists and reads conversations", ({ users }) =>
    Effect.gen(function* () {
      const list = yield* ask("ListThreadsResponse", () =>
        users.threads.list({ userId: "me", q: "in:sent subject:Re", maxResults: 2 })
      )
      assert.lengthOf(list.threads ?? [], 2)
      const id = idsOf(list.threads)[0] ?? ""
      const thread = yield* ask("Thread", () => users.threads.get({ userId: "me", id, format: "full" }))
      const times = (thread.messages ?? []).map(({ internalDate }) => Number(internalDate))
      assert.isAtLeast(times.length, 2)
      assert.deepStrictEqual(
        times,
        times.toSorted((a, b) => a - b)
      )
      assert.isTrue(thread.messages?.every(({ threadId }) => threadId === id))
    }))

  test("drafts, changes, sends and deletes", ({ users }) =>
    Effect.gen(function* () {
      const write = (to: string, subject: string, text: string) =>
        raw(`To: ${to}`, `Subject: ${subject}`, "Content-Type: text/plain; charset=UTF-8", "", text)
      const userId = "me"
      const made = yield* ask("Draft", () =>
        users.drafts.create({
          userId,
          requestBody: { message: { raw: write("ann@example.com", "=?UTF-8?B?R3LDvMOfZQ==?=", "€ 5 – ok?") } }
        })
      )
      const id = made.id ?? ""
      assert.deepStrictEqual(made.message?.labelIds, ["DRAFT"])
      const read = yield* ask("Draft", () => users.drafts.get({ userId, id, format: "full" }))
      assert.deepInclude(headersOf(read.message ?? {}), { To: "ann@example.com", Subject: "Grüße" })
      assert.strictEqual(textOf(read.message?.payload), "€ 5 – ok?")
      const listed = yield* ask("ListDraftsResponse", () => users.drafts.list({ userId, q: "to:ann", maxResults: 5 }))
      assert.deepStrictEqual(idsOf(listed.drafts), [id])

      const changed = yield* ask("Draft", () =>
        users.drafts.update({ userId, id, requestBody: { message: { raw: write("bob@example.com", "Grüße", "No.") } } })
      )
      assert.strictEqual(changed.id, id)
      const sent = yield* ask("Message", () => users.drafts.send({ userId, requestBody: { id } }))
      assert.deepStrictEqual(sent.labelIds, ["SENT"])
      const out = yield* ask("Message", () => users.messages.get({ userId, id: sent.id ?? "" }))
      assert.deepInclude(headersOf(out), { From: `Mira Okafor <${me}>`, To: "bob@example.com", Subject: "Grüße" })

      const other = yield* ask("Draft", () =>
        users.drafts.create({ userId, requestBody: { message: { raw: write("", "Later", "x") } } })
      )
      const unsent = { userId, id: other.id ?? "" }
      yield* Effect.promise(() => users.drafts.delete(unsent))
      for (const gone of [id, unsent.id]) {
        assert.strictEqual((yield* refusal(() => users.drafts.get({ userId, id: gone }))).status, 404)
      }
    }))

  test("sends, in a conversation", ({ users }) =>
    Effect.gen(function* () {
      const userId = "me"
      const list = yield* ask("ListMessagesResponse", () =>
        users.messages.list({ userId, q: "subject:renewal", maxResults: 1 })
      )
      const asked = yield* ask("Message", () => users.messages.get({ userId, id: idsOf(list.messages)[0] ?? "" }))
      const reference = headersOf(asked)["Message-ID"]
      const sent = yield* ask("Message", () =>
        users.messages.send({
          userId,
          requestBody: {
            threadId: asked.threadId ?? "",
            raw: raw(
              `To: ${headersOf(asked)["From"]}`,
              "Subject: Re: Renewal of our subscription",
              `In-Reply-To: ${reference}`,
              `References: ${reference}`,
              "",
              "Gladly."
            )
          }
        })
      )
      assert.strictEqual(sent.threadId, asked.threadId)
      const thread = yield* ask("Thread", () =>
        users.threads.get({ userId, id: sent.threadId ?? "", format: "metadata", metadataHeaders: ["In-Reply-To"] })
      )
      assert.deepStrictEqual(idsOf(thread.messages), [asked.id, sent.id])
      assert.deepStrictEqual(headersOf(thread.messages?.[1] ?? {}), { "In-Reply-To": reference })

      const send = (message: gmail_v1.Schema$Message) =>
        refusal(() => users.messages.send({ userId, requestBody: message }))
      const nobody = yield* send({ raw: raw("Subject: x", "", "y") })
      assert.deepStrictEqual([nobody.status, nobody.message], [400, "Recipient address required"])
      assert.strictEqual(
        (yield* send({ raw: raw("To: a@example.com", "", ""), threadId: "19000000ffffff" })).status,
        404
      )
    }))

  test("labels messages and conversations, and moves to the trash", ({ users }) =>
    Effect.gen(function* () {
      const userId = "me"
      const look = { labelListVisibility: "labelShowIfUnread", messageListVisibility: "hide" }
      const label = yield* ask("Label", () =>
        users.labels.create({ userId, requestBody: { name: "Customers/Acme", ...look } })
      )
      assert.deepInclude(label, { name: "Customers/Acme", ...look })
      assert.notProperty(label, "type")
      const labelIds = [label.id ?? ""]
      const labels = yield* ask("ListLabelsResponse", () => users.labels.list({ userId }))
      assert.includeMembers(idsOf(labels.labels), ["INBOX", "UNREAD", "STARRED", ...labelIds])
      assert.deepStrictEqual(
        labels.labels?.find(({ id }) => id === label.id),
        { ...label, type: "user" }
      )

      const found = (given: gmail_v1.Params$Resource$Users$Messages$List) =>
        ask("ListMessagesResponse", () => users.messages.list({ userId, ...given }))
      const { messages: [first] = [] } = yield* found({ q: "is:unread in:inbox", maxResults: 1 })
      const at = { userId, id: first?.id ?? "" }
      const changed = yield* ask("Message", () =>
        users.messages.modify({ ...at, requestBody: { addLabelIds: labelIds, removeLabelIds: ["UNREAD", "INBOX"] } })
      )
      assert.include(changed.labelIds ?? [], label.id ?? "")
      assert.notInclude(changed.labelIds ?? [], "UNREAD")
      assert.deepStrictEqual(idsOf((yield* found({ q: "label:customers-acme" })).messages), [at.id])
      const thread = yield* ask("Thread", () =>
        users.threads.modify({ userId, id: first?.threadId ?? "", requestBody: { addLabelIds: ["STARRED"] } })
      )
      assert.isTrue(thread.messages?.every((one) => one.labelIds?.includes("STARRED")))
      const trashed = yield* ask("Message", () => users.messages.trash(at))
      assert.include(trashed.labelIds ?? [], "TRASH")
      assert.isUndefined((yield* found({ q: "label:customers-acme" })).messages)

      const twice = yield* refusal(() => users.labels.create({ userId, requestBody: { name: "customers/acme" } }))
      assert.deepStrictEqual([twice.status, twice.message], [409, "Label name exists or conflicts"])
      const strange = yield* refusal(() =>
        users.messages.modify({ ...at, requestBody: { addLabelIds: ["Label_999"] } })
      )
      assert.deepStrictEqual([strange.status, strange.message], [400, "Invalid label: Label_999"])
    }))

  test("tells what was wrong, in the library's errors", ({ client, fault, users }) =>
    Effect.gen(function* () {
      const profile = () => users.getProfile({ userId: "me" })
      const strangers = client({ access_token: "made.up" }).users
      const unknown = yield* refusal(() => strangers.getProfile({ userId: "me" }))
      assert.strictEqual(unknown.status, 401)
      assert.match(unknown.message, /invalid authentication credentials/)
      assert.deepStrictEqual(yield* refusal(() => users.messages.get({ userId: "me", id: "19000000ffffff" })), {
        status: 404,
        message: "Requested entity was not found."
      })
      assert.strictEqual((yield* refusal(() => users.getProfile({ userId: "eve@example.com" }))).status, 403)
      yield* fault({ kind: "status", status: 403 })
      assert.deepStrictEqual(yield* refusal(profile), { status: 403, message: "Insufficient Permission" })
      yield* fault({ kind: "limit", retryAfter: 45 })
      assert.deepStrictEqual(yield* refusal(profile), { status: 403, message: "User Rate Limit Exceeded" })
      // what may pass is read again by the library itself
      yield* fault({ kind: "status", status: 503 })
      assert.strictEqual((yield* ask("Profile", profile)).emailAddress, me)
    }))

  test("signs in, renews its token and revokes it by the library's own OAuth", ({ client, fault, refreshToken }) =>
    Effect.gen(function* () {
      const { oauth, users } = client({})
      const profile = () => ask("Profile", () => users.getProfile({ userId: "me" }))
      const { codeChallenge = "", codeVerifier } = yield* Effect.promise(() => oauth.generateCodeVerifierAsync())
      const address = oauth.generateAuthUrl({
        access_type: "offline",
        prompt: "consent",
        scope: ["https://www.googleapis.com/auth/gmail.modify"],
        code_challenge: codeChallenge
      })
      const body = new URLSearchParams({ decision: "allow" })
      const back = yield* Effect.promise(() =>
        fetch(`${address}&code_challenge_method=S256`, { method: "POST", body, redirect: "manual" })
      )
      const code = new URL(back.headers.get("location") ?? "").searchParams.get("code") ?? ""
      const { tokens } = yield* Effect.promise(() => oauth.getToken({ code, codeVerifier }))
      assert.isAbove(tokens.expiry_date ?? 0, Date.now() + 3_000_000)
      oauth.setCredentials(tokens)
      assert.strictEqual((yield* profile()).emailAddress, me)

      // without a time of expiry the library renews the token when it is refused
      oauth.setCredentials({ refresh_token: refreshToken })
      yield* profile()
      const before = oauth.credentials.access_token
      oauth.setCredentials({ refresh_token: refreshToken, access_token: before ?? "" })
      yield* fault({ kind: "expire" })
      yield* profile()
      assert.notStrictEqual(oauth.credentials.access_token, before)
      assert.strictEqual(oauth.credentials.refresh_token, refreshToken)

      yield* Effect.promise(() => oauth.revokeToken(refreshToken))
      const revoked = yield* refusal(() => oauth.refreshAccessToken())
      assert.deepStrictEqual([revoked.status, revoked.message], [400, "invalid_grant"])
    }))

  it("is answered what its types say, down to the member", () => {
    assert.deepStrictEqual(misfits('import type { gmail_v1 } from "@googleapis/gmail"', answers), [])
  })
})
