import { assert, describe, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Chunk, Clock, Effect, Fiber, Schedule, TestClock, TestServices } from "effect"
import { simulators as providerSimulators } from "../../src/providers/Simulators.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { authorize, begin, consent, decide, follow, go, pathOf, type Session, session } from "../support/Connecting.ts"
import {
  errorsOf,
  listOf,
  nextTick,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { firstOf, full } from "../support/Full.ts"

const someone = Effect.flatMap(SandboxApplication, ({ caller }) => caller([]))

/** Values to enter before consent. */
const fields: { readonly [slug: string]: { readonly [name: string]: string } } = { netsuite: { accountId: "1234567" } }

const listed: { readonly [slug: string]: string } = {
  quickbooks: "accounting",
  xero: "accounting",
  netsuite: "accounting",
  zoho_books: "accounting"
}

/** Has something wait for its provider, some milliseconds; gives what lets it go on to its end. */
const held = Effect.fnUntraced(function* <A, E, R>(
  where: { readonly provider: string; readonly path: string },
  hold: number,
  effect: Effect.Effect<A, E, R>
) {
  yield* (yield* Faults).add({ ...where, does: { kind: "latency", milliseconds: hold } })
  // at a time of its own
  yield* TestClock.adjust(1)
  const due = (yield* Clock.currentTimeMillis) + hold
  const running = yield* Effect.fork(effect)
  yield* Effect.repeat(Effect.zipRight(nextTick, TestClock.sleeps()), { until: Chunk.contains(due) })
  return Effect.zipRight(TestClock.setTime(due), Fiber.join(running))
})

const connections = (caller: Effect.Effect.Success<typeof someone>) =>
  Effect.map(caller.call("GET", "/connections"), (answer) => pageOf(answer).data)

describe("consent", () => {
  layer(sandboxApplication())((it) => {
    // Close is connected by a key
    for (const { slug } of firstOf(providerSimulators.filter((one) => one.slug !== "close"))) {
      it.effect(`${slug}: connects an account, whose records are there`, () =>
        Effect.gen(function* () {
          const caller = yield* someone
          const own = yield* session(caller)
          const begun = yield* consent(own, slug, { fields: fields[slug] ?? {} })
          assert.strictEqual(begun.page.status, 200)
          const [choice] = begun.choices ?? []
          const done =
            choice === undefined
              ? begun
              : recordOf(yield* own.call("POST", `/attempts/${begun.id}/choice`, { value: choice.value }))
          assert.strictEqual(done.status, "connected")

          const connection = recordOf(yield* caller.call("GET", `/connections/${String(done.connectionId)}`))
          assert.deepInclude(connection, { provider: slug, status: "active", endUserId: caller.endUser })
          for (const known of ["accountName", "accountId"]) assert.isNotEmpty(connection[known], known)
          assert.isNotEmpty(connection.scopes)
          assert.isNotEmpty(connection.resources)

          const path = listed[slug] === undefined ? "/crm/contact" : "/accounting/contact"
          assert.isNotEmpty(pageOf(yield* caller.call("GET", `${path}?limit=2`)).data)

          // the consent is taken back at the provider
          const erased = recordOf(yield* caller.call("DELETE", `/end-users/${caller.endUser}`))
          assert.deepStrictEqual(erased.notRevoked, [])
          assert.isUndefined(yield* (yield* SimulationStore).run(slug, String(done.connectionId), ({ name }) => name))
        })
      )
    }

    it.effect("the end user chooses where a login has several accounts, once", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        const own = yield* session(caller)
        const begun = yield* consent(own, "xero")
        assert.strictEqual(begun.status, "choose")
        assert.deepStrictEqual(yield* connections(caller), [])
        const [, second] = begun.choices ?? []
        const choose = (value: string) => own.call("POST", `/attempts/${begun.id}/choice`, { value })
        assert.deepStrictEqual(refusalOf(yield* choose("another")), [400, "INVALID_PARAMETER"])
        const done = recordOf(yield* choose(second?.value ?? ""))
        assert.strictEqual(done.status, "connected")
        assert.deepStrictEqual(refusalOf(yield* choose(second?.value ?? "")), [400, "INVALID_PARAMETER"])
        assert.deepStrictEqual(
          (yield* connections(caller)).map(({ accountName }) => accountName),
          [second?.label]
        )
      })
    )

    for (const [how, leave] of [
      ["cancelled", (own, id) => own.call("POST", `/attempts/${id}/cancel`)],
      [
        "left for too long",
        (_, id) =>
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            yield* sql`update connect_attempts set expires_at = now() - interval '1 second' where id = ${id}`
            // nor does it end with its session
            yield* sql`
              update connect_sessions set expires_at = now() - interval '1 second'
              where id = (select session_id from connect_attempts where id = ${id})`
          })
      ]
    ] as ReadonlyArray<
      readonly [
        string,
        (own: Session, id: string) => Effect.Effect<unknown, unknown, SandboxApplication | SqlClient.SqlClient>
      ]
    >) {
      it.effect(`what was consented to is taken back when the choice is ${how}`, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const own = yield* session(yield* someone)
          const begun = yield* consent(own, "xero")
          assert.strictEqual(begun.status, "choose")
          const [attempt] = yield* sql<{ readonly connection_id: string }>`
            select connection_id from connect_attempts where id = ${begun.id}`
          const store = yield* SimulationStore
          const tokens = Effect.map(
            store.run("xero", attempt?.connection_id ?? "", (account) =>
              account.all("oauth_token").filter(({ kind }) => kind === "refresh")
            ),
            (found) => found?.length
          )
          assert.strictEqual(yield* tokens, 1)
          yield* leave(own, begun.id)
          // what looks for them every few minutes has the time it takes, once it has begun
          const isTaken = Effect.map(
            sql`select 1 from connect_attempts where id = ${begun.id} and secrets <> ''`,
            (kept) => kept.length === 0
          )
          yield* Effect.repeat(Effect.zipRight(TestClock.adjust("5 seconds"), isTaken), {
            until: (taken) => taken,
            times: 70
          })
          yield* TestServices.provideLive(
            Effect.repeat(tokens, { until: (left) => left === 0, schedule: Schedule.spaced("20 millis"), times: 500 })
          )
          assert.strictEqual(yield* tokens, 0)
        })
      )
    }

    full(it).effect("what is consented to while the end user is erased is taken back, or reported", () =>
      Effect.gen(function* () {
        const { caller: make } = yield* SandboxApplication
        const caller = yield* make(["pipedrive"])
        const faults = yield* Faults
        const sql = yield* SqlClient.SqlClient
        const own = yield* session(caller)
        const erase = caller.call("DELETE", `/end-users/${caller.endUser}`, { timeStands: true })
        const ids = sql<{ readonly id: string }>`
          select a.connection_id as id from connect_attempts a join connect_sessions s on s.id = a.session_id
          join end_users u on u.id = s.end_user_id where u.external_id = ${caller.endUser}`

        // the choice is offered after all attempts were removed
        const begun = yield* authorize(own, "xero")
        const [attempt] = yield* ids
        const decided = yield* decide(begun.address)
        const late = yield* held({ provider: "xero", path: "/connections" }, 9_000, follow(decided, begun.cookie))
        // a second one waits for its choice before the rest is erased
        const erasing = yield* held({ provider: "pipedrive", path: "/oauth/revoke" }, 3_777, erase)
        yield* faults.add({ provider: "xero", path: "/connect/revocation", does: { kind: "drop" } })
        const offered = yield* consent(own, "xero")
        assert.strictEqual(offered.status, "choose")
        const [{ id: second } = { id: "" }] = yield* ids
        const { notRevoked } = recordOf(yield* erasing)
        assert.deepStrictEqual(notRevoked, [{ connectionId: second, provider: "xero" }])

        assert.match(String((yield* late).body), /not there any longer/)
        const tokens = yield* (yield* SimulationStore).run("xero", attempt?.id ?? "", (account) =>
          account.all("oauth_token").filter(({ kind }) => kind === "refresh")
        )
        assert.deepStrictEqual(tokens, [])
        assert.strictEqual((yield* own.call("GET", "")).status, 401)
      })
    )

    it.effect("a database that is away is told of in a page, and the address works once it is back", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxApplication
        const sql = yield* SqlClient.SqlClient
        const own = yield* session(yield* someone)
        const begun = yield* authorize(own, "hubspot")
        const redirect = pathOf((yield* decide(begun.address)).headers.get("location") ?? "")
        const shown = Effect.map(send("GET", redirect, { headers: { cookie: begun.cookie } }), (page) => {
          assert.include(page.headers.get("content-type"), "text/html")
          return [page.status, /<h1>([^<]*)</.exec(String(page.body))?.[1]] as const
        })
        const failing = Effect.fnUntraced(function* (code: string) {
          yield* sql`
            create or replace function fail() returns trigger language plpgsql as $$
            begin raise exception 'hush' using errcode = ${sql.literal(`'${code}'`)}; end $$`
          yield* sql`create trigger away before update on connect_attempts execute function fail()`
          return yield* Effect.ensuring(shown, Effect.orDie(sql`drop trigger away on connect_attempts`))
        })
        assert.deepStrictEqual(yield* failing("57P03"), [503, "This does not work right now"])
        assert.deepStrictEqual(yield* failing("23514"), [500, "Something went wrong here"])
        assert.deepStrictEqual(yield* shown, [200, "Connected"])
      })
    )

    it.effect("a denied consent and a cancelled attempt connect nothing", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        const own = yield* session(caller)
        const denied = yield* consent(own, "hubspot", { decides: { decision: "deny" } })
        assert.strictEqual(denied.status, "denied")
        assert.include(String(denied.page.body), "not allowed")

        const begun = yield* authorize(own, "hubspot")
        assert.strictEqual((yield* own.attempt(begun.id)).status, "pending")
        assert.strictEqual(recordOf(yield* own.call("POST", `/attempts/${begun.id}/cancel`)).status, "denied")
        // the consent page is over with it
        assert.strictEqual((yield* decide(begun.address)).status, 404)
        assert.deepStrictEqual(yield* connections(caller), [])
      })
    )

    it.effect("a redirect is taken once, unaltered, and in time", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxApplication
        const sql = yield* SqlClient.SqlClient
        const caller = yield* someone
        const own = yield* session(caller)

        const begun = yield* authorize(own, "hubspot")
        const answer = yield* decide(begun.address)
        const redirect = pathOf(answer.headers.get("location") ?? "")
        const page = (path: string, cookie = begun.cookie) =>
          Effect.map(send("GET", path, { headers: { cookie } }), ({ body, headers, status }) => {
            assert.include(headers.get("content-type"), "text/html")
            assert.strictEqual(headers.get("cache-control"), "no-store")
            assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
            return [status, /<h1>([^<]*)</.exec(String(body))?.[1]] as const
          })
        assert.deepStrictEqual(yield* page(`${redirect}x`), [400, "This address leads nowhere"])
        assert.deepStrictEqual(yield* page("/connect/callback"), [400, "This address leads nowhere"])
        assert.deepStrictEqual(yield* page(`${redirect}&state=twice`), [400, "This address leads nowhere"])
        assert.strictEqual((yield* own.attempt(begun.id)).status, "pending")
        assert.deepStrictEqual(yield* page(redirect), [200, "Connected"])
        assert.deepStrictEqual(yield* page(redirect), [400, "This address was used already"])
        assert.lengthOf(yield* connections(caller), 1)

        const late = yield* authorize(own, "hubspot")
        const lateAnswer = yield* decide(late.address)
        yield* sql`update connect_attempts set expires_at = now() - interval '1 second' where id = ${late.id}`
        const lateRedirect = pathOf(lateAnswer.headers.get("location") ?? "")
        assert.deepStrictEqual(yield* page(lateRedirect, late.cookie), [400, "That took too long"])
        assert.strictEqual((yield* own.attempt(late.id)).status, "expired")
        assert.lengthOf(yield* connections(caller), 1)
      })
    )

    full(it).effect("consent counts only in the browser in which it was begun, on the connect page", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxApplication
        const caller = yield* someone
        const own = yield* session(caller)

        // what a stranger was sent does not lead on
        const { way } = yield* begin(own, "hubspot")
        for (const site of ["none", "cross-site", "same-site"]) {
          const refused = yield* send("GET", pathOf(way), { headers: { "sec-fetch-site": site } })
          assert.strictEqual(refused.status, 403, site)
          assert.isNull(refused.headers.get("location"))
          assert.isEmpty(refused.headers.getSetCookie())
        }
        assert.strictEqual((yield* send("GET", "/connect/go?state=x")).status, 404)
        assert.strictEqual((yield* send("GET", "/connect/go")).status, 404)

        const { answer, cookie } = yield* go(way)
        assert.match(
          answer.headers.get("set-cookie") ?? "",
          /^connect-[\w-]{43}=1; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/
        )
        assert.strictEqual(answer.headers.get("cache-control"), "no-store")
        assert.strictEqual(answer.headers.get("referrer-policy"), "no-referrer")

        // nor does consent that a stranger gave on the provider's own page, whatever else they have begun themselves
        const other = yield* authorize(own, "hubspot")
        for (const foreign of ["", other.cookie, `${cookie}x`.replace("=1", "")]) {
          const begun = yield* authorize(own, "hubspot")
          const page = yield* follow(yield* decide(begun.address), foreign)
          assert.include(String(page.body), "not begun in this browser")
          assert.strictEqual((yield* own.attempt(begun.id)).status, "failed")
        }
        assert.deepStrictEqual(yield* connections(caller), [])

        // several may be under way in one browser, and the cookie goes with its attempt
        const done = yield* follow(yield* decide(other.address), `${cookie}; ${other.cookie}`)
        assert.strictEqual((yield* own.attempt(other.id)).status, "connected")
        assert.include(done.headers.get("set-cookie"), `${other.cookie.split("=")[0]}=; Max-Age=0; Path=/`)
        assert.lengthOf(yield* connections(caller), 1)
        // over, the way leads nowhere
        assert.strictEqual((yield* send("GET", pathOf(other.way))).status, 404)
      })
    )

    const wrongCodes: ReadonlyArray<readonly [what: string, change: (redirect: URL) => void]> = [
      ["no code", (redirect) => redirect.searchParams.delete("code")],
      ["an altered code", (redirect) => redirect.searchParams.set("code", `${redirect.searchParams.get("code")}x`)],
      ["nonsense", (redirect) => redirect.searchParams.set("code", "%00\u202E")],
      [
        "a provider's error",
        (redirect) => {
          redirect.searchParams.delete("code")
          redirect.searchParams.set("error", "server_error")
          redirect.searchParams.set("error_description", "<script>alert(1)</script>")
        }
      ]
    ]
    for (const [what, altered] of wrongCodes) {
      it.effect(`with ${what} in the redirect nothing is stored, and the end user reads why`, () =>
        Effect.gen(function* () {
          const caller = yield* someone
          const failed = yield* consent(yield* session(caller), "salesforce", { altered })
          assert.strictEqual(failed.status, "failed")
          assert.match(failed.message ?? "", /^Salesforce .*\. Try again/)
          assert.notInclude(String(failed.page.body), "<script>")
          assert.deepStrictEqual(yield* connections(caller), [])
        })
      )
    }

    it.effect("another end user's code does not pass: it belongs to another challenge", () =>
      Effect.gen(function* () {
        const [victim, attacker] = [yield* someone, yield* someone]
        const stolen = yield* decide((yield* authorize(yield* session(victim), "salesforce")).address)
        const code = new URL(stolen.headers.get("location") ?? "").searchParams.get("code") ?? ""
        const failed = yield* consent(yield* session(attacker), "salesforce", {
          altered: (redirect) => redirect.searchParams.set("code", code)
        })
        assert.strictEqual(failed.status, "failed")
        assert.deepStrictEqual(yield* connections(attacker), [])
      })
    )

    for (const kind of ["status", "html", "drop"] as const) {
      it.effect(`a token endpoint that is away (${kind}) fails the attempt in plain words`, () =>
        Effect.gen(function* () {
          const faults = yield* Faults
          const caller = yield* someone
          const own = yield* session(caller)
          const begun = yield* authorize(own, "pipedrive")
          const answer = yield* decide(begun.address)
          yield* faults.add({
            provider: "pipedrive",
            path: "/oauth/token",
            does: kind === "drop" ? { kind } : { kind, status: kind === "html" ? 200 : 503 }
          })
          yield* follow(answer, begun.cookie)
          const { message, status } = yield* own.attempt(begun.id)
          assert.strictEqual(status, "failed")
          assert.match(message ?? "", /^Pipedrive .* Try again later\.$/)
          assert.deepStrictEqual(yield* connections(caller), [])
        })
      )
    }

    it.effect("a consent page is there only for an attempt of the sandbox that waits for it", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxApplication
        const begun = yield* authorize(yield* session(yield* someone), "hubspot")
        const path = pathOf(begun.address)
        const shown = yield* send("GET", path)
        assert.strictEqual(shown.status, 200)
        assert.match(String(shown.body), /<html lang="en">[^]*Allow[^]*Deny/)
        assert.match(shown.headers.get("content-security-policy") ?? "", /default-src 'none'.*frame-ancestors 'none'/)
        for (const elsewhere of [
          path.replace(/state=[^&]*/, "state=x"),
          path.replace("/sandbox/hubspot/", "/sandbox/pipedrive/"),
          path.replace("/oauth/authorize", "/crm/v3/objects/contacts"),
          path.replace("/oauth/authorize", "/oauth/2026-03/token"),
          path.replace(/redirect_uri=[^&]*/, "redirect_uri=https%3A%2F%2Fevil.example"),
          path.replace(/client_id=[^&]*/, "client_id=Your%20bank"),
          "/sandbox/hubspot/oauth/authorize",
          "/sandbox/nothing/oauth/authorize"
        ]) {
          assert.strictEqual((yield* send("GET", elsewhere)).status, 404, elsewhere)
        }
        assert.strictEqual((yield* decide(begun.address, { decision: "maybe" })).status, 400)
        assert.strictEqual((yield* decide(begun.address)).status, 303)
      })
    )

    full(it).effect("the end user chooses on the consent page what a new account lacks", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxApplication
        const caller = yield* someone
        const own = yield* session(caller)
        const held = Effect.fnUntraced(function* (id: unknown) {
          const connection = recordOf(yield* caller.call("GET", `/connections/${String(id)}`))
          const order = listOf(connection.resources).find(({ resource }) => resource === "purchase_order")
          return listOf(order?.requires).map((one) => one.held)
        })

        const begun = yield* authorize(own, "quickbooks")
        const shown = yield* send("GET", pathOf(begun.address))
        assert.match(String(shown.body), /<input type="checkbox" name="lacks" value="edition:Plus"> the edition Plus</)
        const refused = yield* decide(begun.address, { decision: "allow", lacks: "module:<Payroll>" })
        assert.strictEqual(refused.status, 400)
        assert.include(String(refused.body), "could lack &#34;module:&#60;Payroll&#62;&#34;")
        yield* follow(yield* decide(begun.address, { decision: "allow", lacks: "edition:Plus" }), begun.cookie)
        const { connectionId } = yield* own.attempt(begun.id)
        assert.deepStrictEqual(yield* held(connectionId), [false])

        // an account stays as it was made; another one is asked for again
        const whole = yield* consent(own, "quickbooks")
        assert.deepStrictEqual(yield* held(whole.connectionId), [true])
        yield* caller.call("GET", "/accounting/invoice?provider=quickbooks&limit=1", {
          headers: { "x-connection-id": String(whole.connectionId) }
        })
        const decides = { decision: "allow", account: "this", lacks: "edition:Plus" }
        const again = yield* consent(own, "quickbooks", { connectionId: String(whole.connectionId), decides })
        assert.deepStrictEqual(yield* held(again.connectionId), [true])
      })
    )

    it.effect("hosts that an end user enters are the provider's own", () =>
      Effect.gen(function* () {
        const own = yield* session(yield* someone)
        for (const loginHost of [
          "169.254.169.254",
          "localhost:5432",
          "evil.example",
          "login.salesforce.com.evil.example",
          "evil.example/.my.salesforce.com",
          "a.my.salesforce.com@evil.example",
          "https://login.salesforce.com",
          "evil.example#.my.salesforce.com"
        ]) {
          const refused = yield* own.call("POST", "/salesforce/authorize", { fields: { loginHost } })
          assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["fields.loginHost"], loginHost)
        }
        for (const accountId of ["", "12/34", "1234567.evil.example", "a@b"]) {
          const refused = yield* own.call("POST", "/netsuite/authorize", { fields: { accountId } })
          assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["fields.accountId"], accountId)
        }
        assert.deepStrictEqual(
          errorsOf(yield* own.call("POST", "/zoho_crm/authorize", { fields: { location: "xx", centre: "eu" } })),
          {
            "fields.centre": "is not known here",
            "fields.location": "must be one of us, eu, in, au, jp, ca, sa, uk, cn"
          }
        )
        const good = yield* authorize(own, "salesforce", {
          fields: { loginHost: "acme--dev.sandbox.my.salesforce.com" }
        })
        assert.include(good.address, "/sandbox/salesforce/services/oauth2/authorize?")
      })
    )

    it.effect("so are those that a redirect brings", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        for (const company of ["evil.example/", "1234567@evil.example", "../x"]) {
          const failed = yield* consent(yield* session(caller), "netsuite", {
            fields: fields.netsuite ?? {},
            altered: (redirect) => redirect.searchParams.set("company", company)
          })
          assert.strictEqual(failed.status, "failed", company)
        }
        assert.deepStrictEqual(yield* connections(caller), [])

        // a server that the redirect names is not called
        const zoho = yield* consent(yield* session(caller), "zoho_crm", {
          altered: (redirect) => redirect.searchParams.set("accounts-server", "https://evil.example")
        })
        assert.strictEqual(zoho.status, "connected")
      })
    )
  })
})

describe("a connection that needs its consent again", () => {
  layer(sandboxApplication())((it) => {
    const gone = Effect.fnUntraced(function* (slug: string) {
      const caller = yield* someone
      const first = yield* consent(yield* session(caller), slug, { fields: fields[slug] ?? {} })
      const id = String(first.connectionId)
      yield* (yield* SimulationStore).run(slug, id, (account) => {
        for (const [token] of account.entries("oauth_token")) account.remove("oauth_token", token)
      })
      assert.deepStrictEqual(refusalOf(yield* caller.call("GET", `/crm/contact?provider=${slug}`)), [
        409,
        "CONNECTION_NEEDS_REAUTH"
      ])
      const token = recordOf(yield* caller.call("POST", `/connections/${id}/reconnect`))
      return { caller, id, token: String(token.token) }
    })

    for (const slug of firstOf(["hubspot", "salesforce", "pipedrive", "zoho_crm"])) {
      it.effect(`${slug}: keeps its id and works again`, () =>
        Effect.gen(function* () {
          const { caller, id } = yield* gone(slug)
          assert.strictEqual((yield* connections(caller))[0]?.status, "needs_reauth")
          const own = yield* session(caller)
          const done = yield* consent(own, slug, { connectionId: id })
          assert.deepInclude(done, { status: "connected", connectionId: id })
          assert.deepStrictEqual(
            (yield* connections(caller)).map((one) => [one.id, one.status]),
            [[id, "active"]]
          )
          // a lookup's failure is kept for the moment it happened in
          yield* TestClock.adjust("1 second")
          const [record] = pageOf(yield* caller.call("GET", "/crm/contact?limit=1")).data
          assert.strictEqual(record?.providerId, id)
        })
      )

      it.effect(`${slug}: does not become another account's`, () =>
        Effect.gen(function* () {
          const { caller, id } = yield* gone(slug)
          const failed = yield* consent(yield* session(caller), slug, {
            connectionId: id,
            decides: { decision: "allow", account: "another" }
          })
          assert.strictEqual(failed.status, "failed")
          assert.match(failed.message ?? "", /another .* account/)
          assert.strictEqual((yield* connections(caller))[0]?.status, "needs_reauth")
        })
      )
    }

    it.effect("of a login with several accounts, the one it had is taken without asking", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        const own = yield* session(caller)
        const begun = yield* consent(own, "xero")
        const [, second] = begun.choices ?? []
        const done = recordOf(yield* own.call("POST", `/attempts/${begun.id}/choice`, { value: second?.value }))
        const again = yield* consent(own, "xero", { connectionId: String(done.connectionId) })
        assert.deepStrictEqual([again.status, again.connectionId], ["connected", done.connectionId])
        assert.strictEqual((yield* connections(caller))[0]?.accountName, second?.label)
      })
    )

    full(it).effect("is renewed only by its own end user, at its own provider", () =>
      Effect.gen(function* () {
        const { caller, id } = yield* gone("hubspot")
        const { caller: make } = yield* SandboxApplication
        const neighbour = yield* make([], { tenancy: caller.tenancy })
        const stranger = yield* make([])
        for (const [who, slug] of [
          [neighbour, "hubspot"],
          [stranger, "hubspot"],
          [caller, "salesforce"]
        ] as const) {
          const answer = yield* (yield* session(who)).call("POST", `/${slug}/authorize`, { connectionId: id })
          assert.deepStrictEqual(refusalOf(answer), [404, "CONNECTION_NOT_FOUND"])
        }
        assert.deepStrictEqual(refusalOf(yield* stranger.call("POST", `/connections/${id}/reconnect`)), [
          404,
          "CONNECTION_NOT_FOUND"
        ])
      })
    )
  })
})
