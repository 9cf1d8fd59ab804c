import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { InProcess } from "../../src/InProcess.ts"
import { connected, doc, workspaceOf } from "../agent/McpClient.ts"
import { publicUrl } from "../support/Connecting.ts"
import {
  type Caller,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { type Browser, makeBrowser } from "./Browser.ts"

const signIn = "https://app.example.com/sign-in"

/** The link of an approval of an end user whose organisation signs its users in, and what must not be read without that. */
const begun = Effect.gen(function* () {
  const { handle } = yield* InProcess
  const caller = yield* (yield* SandboxApplication).caller(["hubspot"])
  yield* caller.call("PUT", "/settings/sign-in", { body: { url: signIn } })
  const workspace = yield* workspaceOf(caller, { confirm: "destructive" })
  const id = randomUUID()
  const { callTool } = yield* connected(caller, workspace)
  const { content } = yield* callTool("crm_delete_contact", { id })
  const link = String(doc(content.error).approval_url)
  const approval = link.replace(/^.*\/approve\//, "").slice(0, 36)
  return {
    caller,
    link,
    approval,
    workspace,
    secrets: [id, "crm_delete_contact", "Delete contact", caller.endUser],
    browser: () => makeBrowser(handle)
  }
})
type Begun = Effect.Effect.Success<typeof begun>

/** Opens an address in a browser that is sent away to the organisation; gives the challenge. */
const challengeAt = (browser: Browser, address: string) =>
  Effect.promise(async () => {
    const { url } = await browser.follow(address)
    assert.match(url, /^https:\/\/app\.example\.com\/sign-in\?challenge=[\w-]{43}$/)
    return new URL(url).searchParams.get("challenge") ?? ""
  })

const accept = (caller: Caller, challenge: string, endUserId: string) =>
  caller.call("POST", `/mcp/authorizations/${challenge}/accept`, { body: { endUserId } })

/** Where the organisation sends a browser whose user it has signed in. */
const onward = (caller: Caller, challenge: string, endUserId: string) =>
  Effect.map(accept(caller, challenge, endUserId), (answer) => String(recordOf(answer).redirectTo))

const pageAt = (browser: Browser, address: string) =>
  Effect.promise(async () => {
    const { answer, url } = await browser.follow(address)
    return { url, status: answer?.status, text: (await answer?.text()) ?? "" }
  })

const statusOf = ({ approval, caller }: Begun) =>
  Effect.map(caller.call("GET", `/approvals/${approval}`), (answer) => recordOf(answer).status)

const press = (browser: Browser, link: string) => Effect.promise(() => browser.submit(link, { decision: "approve" }))

layer(sandboxApplication(), { timeout: "60 seconds" })(
  "an approval where the organisation signs its users in",
  (it) => {
    it.scoped("is seen and decided by its own end user, once they have signed in", () =>
      Effect.gen(function* () {
        const all = yield* begun
        const { approval, caller, link, secrets, workspace } = all
        const browser = all.browser()
        const challenge = yield* challengeAt(browser, link)
        assert.deepInclude(recordOf(yield* caller.call("GET", `/mcp/authorizations/${challenge}`)), {
          workspaceId: workspace,
          client: null,
          scopes: [],
          approvalId: approval
        })
        const back = yield* onward(caller, challenge, caller.endUser)
        assert.isTrue(back.startsWith(`${link}?verifier=`))
        const page = yield* pageAt(browser, back)
        assert.deepStrictEqual([page.url, page.status], [link, 200])
        for (const one of secrets) assert.include(page.text, one)
        assert.strictEqual(yield* statusOf(all), "pending")
        // signed in once, they may reload and decide
        assert.strictEqual((yield* pageAt(browser, link)).status, 200)
        const pressed = yield* press(browser, link)
        assert.strictEqual(pressed.answer?.status, 200)
        assert.strictEqual(yield* statusOf(all), "approved")
        assert.deepStrictEqual(refusalOf(yield* accept(caller, challenge, caller.endUser)), [409, "CONFLICT"])
      })
    )

    it.scoped("gives nothing to who has the link, or sends the way to sign in to its end user", () =>
      Effect.gen(function* () {
        const all = yield* begun
        const { caller, link, secrets } = all
        const [sender, endUser] = [all.browser(), all.browser()]
        // pressing without having signed in leads to the sign-in
        const pressed = yield* press(sender, link)
        assert.include(pressed.url, signIn)
        const challenge = yield* challengeAt(sender, link)
        const back = yield* onward(caller, challenge, caller.endUser)
        // the end user's browser has the verifier, and not the cookie
        const there = yield* pageAt(endUser, back)
        assert.strictEqual(there.status, 400)
        for (const one of secrets) assert.notInclude(there.text, one)
        // the sender's has the cookie, and not the verifier; asked again, the old answer is void
        yield* challengeAt(sender, link)
        yield* challengeAt(sender, back)
        yield* press(sender, link)
        assert.strictEqual(yield* statusOf(all), "pending")
      })
    )

    it.scoped("tells another end user nothing", () =>
      Effect.gen(function* () {
        const all = yield* begun
        const { caller, link, secrets } = all
        const browser = all.browser()
        const back = yield* onward(caller, yield* challengeAt(browser, link), "somebody else")
        const page = yield* pageAt(browser, back)
        assert.strictEqual(page.status, 403)
        for (const one of secrets) assert.notInclude(page.text, one)
        const pressed = yield* press(browser, link)
        assert.include(pressed.url, signIn)
        assert.strictEqual(yield* statusOf(all), "pending")
        // and lets them sign in as who they are meant to be
        const again = yield* onward(caller, yield* challengeAt(browser, link), caller.endUser)
        assert.strictEqual((yield* pageAt(browser, again)).status, 200)
        // which is for this approval alone
        const other = yield* begun
        yield* challengeAt(browser, other.link)
      })
    )

    it.scoped("is not shown to whom the organisation rejects", () =>
      Effect.gen(function* () {
        const all = yield* begun
        const { caller, link, secrets } = all
        const browser = all.browser()
        const challenge = yield* challengeAt(browser, link)
        const rejected = yield* caller.call("POST", `/mcp/authorizations/${challenge}/reject`, { body: {} })
        const page = yield* pageAt(browser, String(recordOf(rejected).redirectTo))
        assert.strictEqual(page.status, 403)
        for (const one of secrets) assert.notInclude(page.text, one)
        assert.deepStrictEqual(refusalOf(yield* accept(caller, challenge, caller.endUser)), [409, "CONFLICT"])
        yield* challengeAt(browser, link)
      })
    )

    it.scoped("is answered for by its own organisation alone, and not on the sandbox's page", () =>
      Effect.gen(function* () {
        const { browser, caller, link } = yield* begun
        const challenge = yield* challengeAt(browser(), link)
        const stranger = yield* (yield* SandboxApplication).caller([])
        assert.deepStrictEqual(refusalOf(yield* accept(stranger, challenge, caller.endUser)), [
          404,
          "AUTHORIZATION_NOT_FOUND"
        ])
        const picked = yield* Effect.promise(() =>
          browser().post(`${publicUrl}/oauth/sandbox/${challenge}`, { end_user: caller.endUser })
        )
        assert.strictEqual(picked.status, 404)
        const answered = recordOf(yield* accept(caller, challenge, caller.endUser))
        assert.isString(answered.redirectTo)
        const late = yield* challengeAt(browser(), link)
        const sql = yield* SqlClient.SqlClient
        yield* sql`update mcp_sign_ins set expires_at = now() - interval '1 second'`
        assert.deepStrictEqual(refusalOf(yield* accept(caller, late, caller.endUser)), [404, "AUTHORIZATION_NOT_FOUND"])
      })
    )
  }
)
