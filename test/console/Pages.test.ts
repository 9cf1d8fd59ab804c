import { assert, describe, layer } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { Effect, Redacted } from "effect"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { pageOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { connected, workspaceOf } from "../agent/McpClient.ts"
import { locationOf, pathFrom, signIn } from "./Visitor.ts"

const callerOf = (providers: ReadonlyArray<string>, environment: "sandbox" | "production" = "sandbox") =>
  Effect.flatMap(SandboxApplication, ({ caller }) => caller(providers, { environment }))

const withoutOwnScript = (markup: unknown) =>
  String(markup).replace(/<script type="module" src="[./\w]*\/assets\/console\.js"><\/script>/, "")

describe("pages of the console", () => {
  layer(sandboxApplication())((it) => {
    it.effect("load nothing from others and run only the console's script", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxApplication
        const { tenancy } = yield* callerOf([])
        const own = yield* signIn(tenancy.key)
        for (const answer of [yield* own.get("/console"), yield* send("GET", "/console/sign-in")]) {
          assert.deepInclude(Object.fromEntries(answer.headers), {
            "content-security-policy":
              "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
            "cache-control": "no-store",
            "referrer-policy": "same-origin",
            "x-content-type-options": "nosniff"
          })
          assert.notMatch(withoutOwnScript(answer.body), /<script|<style|\sstyle=|\son\w+=/i)
        }
        const style = yield* send("GET", "/console/assets/console.css")
        assert.strictEqual(style.headers.get("content-type"), "text/css; charset=utf-8")
      })
    )

    it.effect("have scripts and styles that a browser keeps as long as they are current", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxApplication
        const style = (headers: { readonly [name: string]: string } = {}) =>
          send("GET", "/console/assets/console.css", { headers })
        const { body, headers } = yield* style()
        const etag = headers.get("etag") ?? ""
        assert.strictEqual(headers.get("cache-control"), "no-cache")
        const same = yield* style({ "if-none-match": etag })
        assert.deepStrictEqual([same.status, same.body, same.headers.get("etag")], [304, "", etag])
        const stale = yield* style({ "if-none-match": '"another"' })
        assert.deepStrictEqual([stale.status, stale.body], [200, body])
      })
    )

    it.effect("show what came from outside as text", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* callerOf([])
        const endUser = `"><script>alert(1)</script>'&`
        yield* (yield* EndUsers).ensure(tenancy.organisation, "sandbox", endUser, { displayName: "<b>Bob</b>" })
        const own = yield* signIn(tenancy.key)
        const markup = String((yield* own.get("/console/end-users")).body)
        assert.notMatch(withoutOwnScript(markup), /<script|<b>Bob/)
        assert.include(yield* own.read("/console/end-users"), `${endUser} <b>Bob</b>`)
        const searched = String((yield* own.get(`/console/end-users?search=${encodeURIComponent(endUser)}`)).body)
        assert.notMatch(withoutOwnScript(searched), /<script/)
      })
    )

    it.effect("refuse forms without the session's own token, or from another site, and change nothing", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* callerOf([])
        const [own, other] = [yield* signIn(tenancy.key), yield* signIn(tenancy.key)]
        assert.notStrictEqual(own.formToken, other.formToken)
        for (const answer of [
          yield* own.post("/console/keys", {}, { formToken: "" }),
          yield* own.post("/console/keys", {}, { formToken: other.formToken }),
          yield* own.post("/console/keys", {}, { headers: { "sec-fetch-site": "cross-site" } }),
          yield* own.post("/console/sign-out", {}, { formToken: "" })
        ]) {
          assert.strictEqual(answer.status, 403)
        }
        const typed = yield* own.post("/console/keys", {}, { headers: { "content-type": "text/plain" } })
        assert.strictEqual(typed.status, 415)
        const unknown = yield* own.post("/console/keys", { environment: "production" })
        assert.strictEqual(unknown.status, 422)
        assert.lengthOf(yield* (yield* ApiKeys).list(tenancy.organisation), 1)
      })
    )

    it.effect("say what is wrong with an address", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* callerOf([])
        const own = yield* signIn(tenancy.key)
        for (const [path, status, words] of [
          ["/console/nowhere", 404, "There is nothing at /console/nowhere."],
          ["/console/requests?status=odd", 400, "status:"],
          ["/console/requests?sort=up", 400, "sort: is not known here"],
          ["/console/connections/not-one/remove", 404, "There is no connection"],
          ["/console/field-mappings?provider=acme", 404, "There is no provider acme."]
        ] as const) {
          const answer = yield* own.get(path)
          assert.strictEqual(answer.status, status, path)
          assert.include(String(answer.body), words)
        }
      })
    )

    it.effect("show a new key once", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxApplication
        const { tenancy } = yield* callerOf([])
        const own = yield* signIn(tenancy.key)
        const made = yield* own.post("/console/keys", { name: "Reports", "records:read": "on" })
        assert.strictEqual(locationOf("/console/keys", made), "/console/keys")
        const [key = ""] = /sk_test_[0-9A-Za-z]{43}/.exec(yield* own.read("/console/keys")) ?? []
        const headers = { authorization: `Bearer ${key}` }
        assert.strictEqual((yield* send("GET", "/api/v1/providers", { headers })).status, 200)
        assert.notMatch(yield* own.read("/console/keys"), /sk_test_[0-9A-Za-z]{43}/)
      })
    )

    it.effect("revoke a key after asking", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxApplication
        const { tenancy } = yield* callerOf([])
        const { id, key, prefix } = yield* (yield* ApiKeys).create(tenancy.organisation, "sandbox")
        const own = yield* signIn(tenancy.key)
        assert.include(yield* own.read(`/console/keys/${id}/revoke`), `Revoke ${prefix}…?`)
        const headers = { authorization: `Bearer ${Redacted.value(key)}` }
        assert.strictEqual((yield* send("GET", "/api/v1/providers", { headers })).status, 200)
        yield* own.post(`/console/keys/${id}/revoke`)
        assert.include(yield* own.read("/console/keys"), `${prefix}… is revoked.`)
        assert.strictEqual((yield* send("GET", "/api/v1/providers", { headers })).status, 401)
        // there is nothing left to revoke
        assert.strictEqual((yield* own.get(`/console/keys/${id}/revoke`)).status, 404)
      })
    )

    it.effect("show and change what belongs to the session's organisation and environment only", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const { caller } = yield* SandboxApplication
        const mine = yield* callerOf(["hubspot"])
        const theirs = yield* callerOf(["hubspot"])
        const live = yield* keys.create(mine.tenancy.organisation, "production")
        const production = yield* caller(["hubspot"], {
          tenancy: { organisation: mine.tenancy.organisation, environment: "production", key: live.key }
        })
        yield* theirs.call("GET", "/crm/contact?provider=hubspot")
        yield* production.call("GET", "/providers")
        const own = yield* signIn(mine.tenancy.key)
        assert.match(yield* own.read("/console"), /HubSpot 1 active/)
        for (const page of ["end-users", "connections", "requests", "keys"]) {
          const text = yield* own.read(`/console/${page}`)
          for (const foreign of [theirs.endUser, production.endUser, live.prefix, "sk_live_"]) {
            assert.notInclude(text, foreign, page)
          }
        }
        assert.include(yield* own.read("/console/requests"), "No requests yet")
        const [theirKey] = yield* keys.list(theirs.tenancy.organisation)
        for (const path of [
          `/console/connections/${theirs.connections["hubspot"]}/remove`,
          `/console/connections/${theirs.connections["hubspot"]}/reconnect`,
          `/console/connections/${production.connections["hubspot"]}/remove`,
          `/console/keys/${theirKey?.id}/revoke`,
          `/console/keys/${live.id}/revoke`
        ]) {
          assert.strictEqual((yield* own.post(path)).status, 404, path)
        }
        assert.strictEqual((yield* production.call("GET", "/providers")).status, 200)
        assert.strictEqual((yield* theirs.call("GET", "/crm/contact?provider=hubspot")).status, 200)

        // a key made in production is one of production
        const there = yield* signIn(live.key)
        yield* there.post("/console/keys", { name: "There", "records:read": "on" })
        assert.match(yield* there.read("/console/keys"), /sk_live_[0-9A-Za-z]{43}/)
      })
    )

    it.effect("do nothing that the key may not do by the API", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* callerOf([])
        const { key } = yield* (yield* ApiKeys).create(tenancy.organisation, "sandbox", {
          name: "Keys only",
          scopes: ["admin"]
        })
        const own = yield* signIn(key)
        for (const path of [
          "/console/end-users/link",
          `/console/connections/${randomUUID()}/reconnect`,
          `/console/connections/${randomUUID()}/remove`
        ]) {
          const answer = yield* own.post(path, path.endsWith("link") ? { endUserId: "u-1" } : {})
          assert.strictEqual(answer.status, 403, path)
          assert.include(String(answer.body), "lacks the scope connect")
        }
      })
    )

    it.effect("make a link with which an end user connects accounts", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* callerOf([])
        const live = yield* (yield* ApiKeys).create(tenancy.organisation, "production")
        const there = yield* signIn(live.key)
        assert.include(yield* there.read("/console/end-users"), "There are no end users yet")
        const own = yield* signIn(tenancy.key)
        const fields = { endUserId: "ann 1", displayName: "Ann", email: "ann@example.com" }
        const to = locationOf("/console/end-users/link", yield* own.post("/console/end-users/link", fields))
        const text = yield* own.read(to)
        assert.match(text, /http:\/\/127\.0\.0\.1:3000\/connect#token=cs_test_[\w-]{43}/)
        assert.match(text, /ann 1 Ann Requests ann@example\.com Nothing yet/)
        assert.notInclude(yield* own.read("/console/end-users"), "cs_test_")
        const wrong = yield* own.post("/console/end-users/link", { endUserId: "x".repeat(256), email: "ann" })
        assert.strictEqual(wrong.status, 422)
        assert.include(String(wrong.body), "endUserId: must be text of 1 to 255 characters")
        assert.include(String(wrong.body), "email: must be an e-mail address")
      })
    )

    it.effect("export what is stored of an end user, and erase them after asking", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* (yield* SandboxApplication).caller(["hubspot"], { endUser: "ann/1" })
        const other = yield* (yield* SandboxApplication).caller([], { endUser: "ann/1" })
        const own = yield* signIn(tenancy.key)
        const markup = String((yield* own.get("/console/end-users")).body)
        const path = "/console/end-users/ann%2F1"
        assert.include(markup, `${path.slice("/console".length)}/erase`)
        const exported = yield* own.post(`${path}/export`)
        assert.include(exported.headers.get("content-disposition") ?? "", "attachment")
        assert.include(JSON.stringify(exported.body), '"provider":"hubspot"')
        assert.match(yield* own.read(`${path}/erase`), /All that is stored of ann\/1 .* 1 connections/)
        assert.strictEqual((yield* own.post(`${path}/erase`, {}, { formToken: "" })).status, 403)
        assert.include(yield* own.read("/console/end-users"), "ann/1")

        const to = locationOf(`${path}/erase`, yield* own.post(`${path}/erase`))
        assert.match(yield* own.read(to), /ann\/1 is erased\. .*There are no end users yet/)
        assert.strictEqual((yield* own.get(`${path}/erase`)).status, 404)
        assert.include(yield* (yield* signIn(other.tenancy.key)).read("/console/end-users"), "ann/1")
      })
    )

    it.effect("find end users, page by page", () =>
      Effect.gen(function* () {
        const endUsers = yield* EndUsers
        const { tenancy } = yield* callerOf([])
        const names = Array.from({ length: 60 }, (_, at) => `a-${String(at).padStart(2, "0")}`)
        for (const name of names) {
          yield* endUsers.ensure(tenancy.organisation, "sandbox", name, { email: `Box.${name.slice(2)}@Example.com` })
        }
        const own = yield* signIn(tenancy.key)
        const namesOn = (markup: string) => names.filter((name) => markup.includes(`>${name}<`))
        const first = String((yield* own.get("/console/end-users")).body)
        const next = /href="([^"]+)"[^>]*>\s*Next/.exec(first)?.[1] ?? ""
        const second = String((yield* own.get(pathFrom("/console/end-users", next))).body)
        assert.deepStrictEqual([namesOn(first), namesOn(second)], [names.slice(0, 50), names.slice(50)])
        assert.notMatch(second, />\s*Next/)
        assert.match(yield* own.read("/console/end-users?search=box.07@"), /a-07/)
        assert.include(yield* own.read("/console/end-users?search=nobody%25"), "Nobody is found")
      })
    )

    it.effect("list connections with their state, renew and remove them", () =>
      Effect.gen(function* () {
        const mine = yield* callerOf(["hubspot", "xero"])
        const own = yield* signIn(mine.tenancy.key)
        assert.match(yield* own.read("/console/connections?provider=xero"), new RegExp(`Xero .*${mine.endUser} Active`))
        assert.notInclude(yield* own.read("/console/connections?provider=xero"), "HubSpot Tributary")
        assert.include(yield* own.read("/console/connections?status=needs_reauth"), "No connection is like that")
        const id = mine.connections["xero"] ?? ""
        yield* own.post(`/console/connections/${id}/reconnect`)
        assert.match(yield* own.read("/console/connections"), /connect#token=cs_test_[\w-]{43}/)
        assert.include(yield* own.read(`/console/connections/${id}/remove`), "Remove this connection?")
        assert.strictEqual((yield* mine.call("GET", `/connections/${id}`)).status, 200)
        yield* own.post(`/console/connections/${id}/remove`)
        assert.include(yield* own.read("/console/connections"), `of ${mine.endUser} is removed.`)
        assert.strictEqual((yield* mine.call("GET", `/connections/${id}`)).status, 404)
        assert.strictEqual((yield* own.get(`/console/connections/${id}/remove`)).status, 404)
      })
    )

    it.scoped("show what agents wait for, and decide on it", () =>
      Effect.gen(function* () {
        const mine = yield* callerOf(["hubspot"])
        const stranger = yield* signIn((yield* callerOf([])).tenancy.key)
        const own = yield* signIn(mine.tenancy.key)
        assert.include(yield* own.read("/console/approvals"), "There are none")
        const { callTool } = yield* connected(mine, yield* workspaceOf(mine, { confirm: "destructive" }))
        const [contact] = pageOf(yield* mine.call("GET", "/crm/contact?provider=hubspot&limit=1")).data
        const remove = Effect.map(
          callTool("crm_delete_contact", { provider: "hubspot", id: contact?.remote_id }),
          ({ isError }) => !isError
        )
        assert.isFalse(yield* remove)
        const waiting = yield* own.read("/console/approvals?status=pending")
        assert.match(waiting, new RegExp(`crm_delete_contact .*"id": "${String(contact?.remote_id)}".*${mine.endUser}`))
        const id = /approvals\/([0-9a-f-]{36})\/decide/.exec(String((yield* own.get("/console/approvals")).body))?.[1]
        const path = `/console/approvals/${id ?? ""}/decide`
        assert.strictEqual((yield* stranger.post(path, { decision: "approve" })).status, 404)
        assert.strictEqual((yield* own.post(path, { decision: "maybe" })).status, 422)
        assert.strictEqual((yield* own.post("/console/approvals/x/decide", { decision: "approve" })).status, 404)
        assert.isFalse(yield* remove)
        const to = locationOf(path, yield* own.post(path, { decision: "approve" }))
        assert.match(yield* own.read(to), /is approved\. .* Approved by the organisation/)
        assert.strictEqual((yield* own.post(path, { decision: "refuse" })).status, 409)
        assert.isTrue(yield* remove)
        assert.include(yield* own.read("/console/approvals?status=pending"), "There are none")
      })
    )

    it.effect("override a field mapping, with a preview, and take it back", () =>
      Effect.gen(function* () {
        const mine = yield* callerOf(["hubspot"])
        const own = yield* signIn(mine.tenancy.key)
        const path = "/console/field-mappings?provider=hubspot&resource=contact"
        assert.notInclude(yield* own.read(path), "override Remove")
        const override = { provider: "hubspot", resource: "contact", field: "town", native_field: "city" }
        const sampled = yield* own.post("/console/field-mappings", { ...override, intent: "preview" })
        assert.strictEqual(sampled.status, 200)
        assert.include(String(sampled.body), "Nothing is saved yet.")
        assert.notMatch(yield* own.read(path), /custom_fields\.town/)

        const misspelt = { ...override, native_field: "citty", intent: "save" }
        const refused = yield* own.post("/console/field-mappings", misspelt)
        assert.strictEqual(refused.status, 422)
        assert.match(String(refused.body), /id="native_field-error">[^<]*city/)
        assert.include(String(refused.body), 'value="citty"')

        const saved = yield* own.post("/console/field-mappings", { ...override, intent: "save" })
        assert.strictEqual(locationOf("/console/field-mappings", saved), path)
        const page = yield* own.read(path)
        assert.include(page, "town is now made of city.")
        assert.match(page, /custom_fields\.town override properties\.city/)
        const [contact] = pageOf(yield* mine.call("GET", "/crm/contact?provider=hubspot&limit=1")).data
        assert.property(contact?.["custom_fields"], "town")

        yield* own.post("/console/field-mappings/remove", {
          provider: "hubspot",
          resource: "contact",
          field: "custom_fields.town"
        })
        assert.notMatch(yield* own.read(path), /custom_fields\.town override/)
      })
    )
  })
})
