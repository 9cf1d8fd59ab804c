import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { BrowserContext, Page } from "playwright-core"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { Browser, faintTexts, isInstalled, visit } from "../support/Browser.ts"
import * as Application from "./ConnectApplication.ts"
import { ConnectApplication } from "./ConnectApplication.ts"

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name })

/** Waits for a view by its heading. */
const view = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor()

const open = async (page: Page, url: string) => {
  await page.goto(url)
  await page.getByRole("heading", { level: 1 }).waitFor()
}

/** Clicks what opens the provider's window, and gives that. */
const popupOf = async (context: BrowserContext, click: Promise<void>) => {
  const [popup] = await Promise.all([context.waitForEvent("page"), click])
  return popup
}

const oneConnection = async (app: typeof ConnectApplication.Service, endUser: string) => {
  const connections = await app.connections(endUser)
  assert.lengthOf(connections, 1)
  return connections[0]
}

/** Events that `/connect.js` reported to the organisation's page. */
const eventsOf = (page: Page) => page.evaluate<ReadonlyArray<{ type: string; [name: string]: unknown }>>("events")

const openFrom = async (page: Page, origin: string, options: object) => {
  await page.goto(origin)
  await page.evaluate(`options = ${JSON.stringify(options)}`)
  await button(page, "Connect").click()
}

describe.skipIf(!isInstalled)("the connect page in a browser", () => {
  layer(Layer.merge(Browser.layer, Application.layer), { excludeTestServices: true })((it) => {
    /** A test in the browser of an end user of its own. */
    const inBrowser = (
      name: string,
      run: (given: {
        readonly app: typeof ConnectApplication.Service
        readonly page: Page
        readonly context: BrowserContext
        readonly endUser: string
      }) => Promise<void>,
      options: Parameters<typeof visit>[1] = {}
    ) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const app = yield* ConnectApplication
          const endUser = name.replaceAll(/\W+/g, "-")
          yield* visit((page, context) => run({ app, page, context, endUser }), options)
        })
      )

    inBrowser(
      "connects an account by consent, and keeps the token to itself",
      async ({ app, context, endUser, page }) => {
        const asked: Array<string> = []
        context.on("request", (request) => asked.push(request.url()))
        await open(page, await app.connectUrl(endUser))
        await view(page, "Connect your tools to Northwind")
        assert.strictEqual(page.url(), `${app.service}/connect`)
        for (const name of ["CRM", "Accounting", "Tools"]) await page.getByRole("heading", { level: 2, name }).waitFor()

        await button(page, /^HubSpot/).click()
        await view(page, "Connect HubSpot")
        const popup = await popupOf(context, button(page, "Continue to HubSpot").click())
        await view(page, "Continue at HubSpot")
        await button(popup, "Allow").click()
        await view(page, "HubSpot is connected")
        assert.isTrue(popup.isClosed())

        const connection = await oneConnection(app, endUser)
        assert.deepInclude(connection, { provider: "hubspot", status: "active" })
        await button(page, "Connect another").click()
        await button(page, /^HubSpot.*Connected/).waitFor()
        assert.isEmpty(asked.filter((url) => new URL(url).origin !== app.service && !url.startsWith("data:")))
        assert.isEmpty(asked.filter((url) => url.includes("cs_test_") && !url.includes("#")))
        // a reload needs no new link
        await page.reload()
        await view(page, "Connect your tools to Northwind")
      }
    )

    inBrowser("lets the end user choose one of several accounts", async ({ app, context, endUser, page }) => {
      await open(page, await app.connectUrl(endUser, { integrations: ["xero"] }))
      await view(page, "Connect Xero")
      const popup = await popupOf(context, button(page, "Continue to Xero").click())
      await button(popup, "Allow").click()
      await view(page, "Choose an account")
      await button(page, "Continue").click()
      await page.getByRole("alert").getByText("Choose one of these accounts.").waitFor()
      const second = page.locator("label.choice").nth(1)
      const name = await second.textContent()
      await second.click()
      await button(page, "Continue").click()
      await view(page, "Xero is connected")
      assert.strictEqual((await oneConnection(app, endUser))?.accountName, name)
      await page.getByText("You can close this page.").waitFor()
    })

    inBrowser("says that the window was closed, and starts again", async ({ app, context, endUser, page }) => {
      await open(page, await app.connectUrl(endUser, { integrations: ["pipedrive"] }))
      const first = await popupOf(context, button(page, "Continue to Pipedrive").click())
      await button(first, "Allow").waitFor()
      await first.close()
      await view(page, "The window was closed")
      assert.isEmpty(await app.connections(endUser))
      const second = await popupOf(context, button(page, "Try again").click())
      await button(second, "Allow").click()
      await view(page, "Pipedrive is connected")
    })

    inBrowser("goes on when the provider's page cuts itself off", async ({ app, context, endUser, page }) => {
      // what follows a redirect is not routed
      await context.route("**/connect/go?*", async (route) => {
        const response = await route.fetch({ maxRedirects: 0 })
        const { location = "", ...headers } = response.headers()
        const body = `<!doctype html><meta http-equiv="refresh" content="0;url=${location}">`
        return route.fulfill({ status: 200, headers: { ...headers, "content-type": "text/html" }, body })
      })
      await context.route("**/sandbox/**", async (route) => {
        if (route.request().method() !== "GET") return route.continue()
        const response = await route.fetch()
        const headers = { ...response.headers(), "cross-origin-opener-policy": "same-origin" }
        return route.fulfill({ response, headers })
      })
      await open(page, await app.connectUrl(endUser, { integrations: ["hubspot"] }))
      const popup = await popupOf(context, button(page, "Continue to HubSpot").click())
      await button(popup, "Allow").waitFor()
      await view(page, "The window was closed")
      assert.isFalse(popup.isClosed())
      await button(popup, "Allow").click()
      await view(page, "HubSpot is connected")
    })

    inBrowser("leads to the provider from its own page only", async ({ app, context, endUser, page }) => {
      await open(page, await app.connectUrl(endUser, { integrations: ["hubspot"] }))
      const asked = context.waitForEvent("request", (request) => request.url().includes("/connect/go?"))
      const popup = await popupOf(context, button(page, "Continue to HubSpot").click())
      await button(popup, "Allow").waitFor()
      const way = (await asked).url()
      assert.deepStrictEqual(
        (await context.cookies()).map(({ httpOnly, sameSite }) => [httpOnly, sameSite]),
        [[true, "Lax"]]
      )

      // sent to somebody else, or put on another site
      const stranger = await context.browser()?.newPage()
      assert.strictEqual((await stranger?.goto(way))?.status(), 403)
      await stranger?.goto("about:blank")
      await stranger?.setContent(`<a href="${way}">Free cheese</a>`)
      await stranger?.getByRole("link").click()
      await stranger?.getByRole("heading", { name: "This address cannot be opened by itself" }).waitFor()
      // consent on the provider's page itself leads into another browser than it was begun in
      await stranger?.goto(popup.url())
      await stranger?.getByRole("button", { name: "Allow" }).click()
      await stranger?.getByText("This was not begun in this browser").waitFor()
      await stranger?.close()
      await view(page, "HubSpot could not be connected")
      assert.isEmpty(await app.connections(endUser))
    })

    inBrowser("gives up an attempt when the end user cancels", async ({ app, context, endUser, page }) => {
      await open(page, await app.connectUrl(endUser, { integrations: ["hubspot"] }))
      const popup = await popupOf(context, button(page, "Continue to HubSpot").click())
      await button(popup, "Allow").waitFor()
      await button(page, "Cancel").click()
      await view(page, "Connect HubSpot")
      assert.isTrue(popup.isClosed())
      assert.isEmpty(await app.connections(endUser))
    })

    inBrowser("says that consent was denied, with a way on", async ({ app, context, endUser, page }) => {
      await open(page, await app.connectUrl(endUser, { integrations: ["hubspot", "pipedrive"] }))
      await button(page, /^HubSpot/).click()
      const popup = await popupOf(context, button(page, "Continue to HubSpot").click())
      await button(popup, "Deny").click()
      await view(page, "Access was not given")
      assert.isEmpty(await app.connections(endUser))
      await button(page, "All integrations").click()
      await view(page, "Connect your tools to Northwind")
    })

    inBrowser("offers a link where the browser blocks the window", async ({ app, context, endUser, page }) => {
      await open(page, await app.connectUrl(endUser, { integrations: ["hubspot"] }))
      await page.evaluate("window.open = () => null")
      await button(page, "Continue to HubSpot").click()
      await view(page, "Your browser blocked the window")
      const tab = await popupOf(context, page.getByRole("link", { name: "Open HubSpot" }).click())
      await button(tab, "Allow").click()
      await view(page, "HubSpot is connected")
    })

    it.effect("says that the provider is down, and tries again", () =>
      Effect.gen(function* () {
        const app = yield* ConnectApplication
        const faults = yield* Faults
        yield* faults.add({ provider: "hubspot", does: { kind: "status", status: 503 }, path: "token" })
        yield* visit(async (page, context) => {
          await open(page, await app.connectUrl("down", { integrations: ["hubspot"] }))
          const first = await popupOf(context, button(page, "Continue to HubSpot").click())
          await button(first, "Allow").click()
          await view(page, "HubSpot could not be connected")
          assert.isEmpty(await app.connections("down"))
          const second = await popupOf(context, button(page, "Try again").click())
          await button(second, "Allow").click()
          await view(page, "HubSpot is connected")
        })
      })
    )

    inBrowser(
      "takes a connection string, and says at the field what is wrong with one",
      async ({ app, endUser, page }) => {
        await open(page, await app.connectUrl(endUser, { integrations: ["ledger"] }))
        await view(page, "Connect Ledger Database")
        await page.getByText("Ask your administrator").waitFor()
        const field = page.getByLabel("Connection string", { exact: true })
        assert.strictEqual(await field.getAttribute("type"), "password")
        const connect = button(page, "Connect Ledger Database")

        await connect.click()
        await page.getByText("Enter the Connection string.").waitFor()
        await field.fill("ledger://bad")
        await connect.click()
        await page.getByText("The password is wrong.").waitFor()
        assert.strictEqual(await field.getAttribute("aria-invalid"), "true")
        assert.isTrue(await field.evaluate((element) => element === element.ownerDocument.activeElement))

        await field.fill("ledger://away")
        await connect.click()
        await page.getByRole("alert").getByText("does not answer right now").waitFor()
        assert.strictEqual(await field.inputValue(), "ledger://away")
        assert.isEmpty(await app.connections(endUser))

        await field.fill("ledger://good")
        await field.press("Enter")
        await view(page, "Ledger Database is connected")
        await page.getByText("can now work with Main ledger").waitFor()
      }
    )

    inBrowser("takes a private key, or goes the other way that there is", async ({ app, endUser, page }) => {
      await open(page, await app.connectUrl(endUser, { integrations: ["netsuite"] }))
      await view(page, "Connect NetSuite")
      await button(page, "Sign in at NetSuite instead").click()
      await page.getByText("Signing in gives access for seven days").waitFor()
      assert.isFalse(await page.getByLabel("Private key").isVisible())
      await button(page, "Use a certificate instead").click()
      const field = page.getByLabel("Private key")
      assert.strictEqual(await field.evaluate(({ tagName }) => tagName), "TEXTAREA")
      await field.fill("-----BEGIN PUBLIC KEY-----\naHVzaA==\n-----END PUBLIC KEY-----")
      await button(page, "Connect NetSuite").click()
      await page.getByText("this is the public one").waitFor()
      await field.fill("sandbox")
      await button(page, "Connect NetSuite").click()
      await view(page, "NetSuite is connected")
    })

    inBrowser("renews a connection that needs it, under its id", async ({ app, context, endUser, page }) => {
      const id = await app.connect(endUser, "hubspot")
      await app.spoil(id)
      await open(page, await app.connectUrl(endUser))
      await button(page, /^HubSpot.*Reconnect/).click()
      const popup = await popupOf(context, button(page, /^Reconnect/).click())
      await button(popup, "Allow").click()
      await view(page, "HubSpot is connected")
      assert.deepInclude(await oneConnection(app, endUser), { id, status: "active" })
    })

    inBrowser("opens a link for one connection at that connection", async ({ app, context, endUser, page }) => {
      const id = await app.connect(endUser, "salesforce")
      await app.spoil(id)
      await open(page, await app.reconnectUrl(id))
      await view(page, "Reconnect Salesforce")
      assert.strictEqual(await button(page, "All integrations").count(), 0)
      const popup = await popupOf(context, button(page, "Continue to Salesforce").click())
      await button(popup, "Allow").click()
      await view(page, "Salesforce is connected")
      assert.deepInclude(await oneConnection(app, endUser), { id, status: "active" })
    })

    inBrowser("says that a link has expired: unknown, missing, or over while it is open", async (given) => {
      const { app, endUser, page } = given
      await open(page, `${app.service}/connect#token=cs_test_${"a".repeat(43)}`)
      await view(page, "This link has expired")
      await open(page, `${app.service}/connect`)
      await view(page, "This link has expired")
      await open(page, await app.connectUrl(endUser, { redirectUrl: `${app.listed}/done` }))
      await button(page, /^HubSpot/).click()
      await app.expireSessions()
      await button(page, "Continue to HubSpot").click()
      await view(page, "This link has expired")
      assert.lengthOf(given.context.pages(), 1)
      await button(page, "Return to Northwind").click()
      await page.waitForURL(`${app.listed}/done`)
    })

    inBrowser("reports from a popup to the page that opened it", async ({ app, context, endUser, page }) => {
      const connectUrl = await app.connectUrl(endUser, { integrations: ["hubspot", "xero"] })
      const opened = context.waitForEvent("page")
      await openFrom(page, app.listed, { connectUrl })
      const popup = await opened
      await button(popup, /^HubSpot/).click()
      const consent = await popupOf(context, button(popup, "Continue to HubSpot").click())
      await button(consent, "Allow").click()
      await view(popup, "HubSpot is connected")
      const connection = await oneConnection(app, endUser)
      assert.deepStrictEqual(await eventsOf(page), [
        { type: "connected", connectionId: connection?.id, integration: "hubspot" }
      ])
      await button(popup, "Done").click()
      await page.waitForFunction("events.length === 2")
      assert.deepStrictEqual((await eventsOf(page))[1], { type: "closed" })
    })

    inBrowser(
      "reports from a frame over the page, which keeps the focus inside",
      async ({ app, context, endUser, page }) => {
        const connectUrl = await app.connectUrl(endUser, { integrations: ["hubspot"] })
        await openFrom(page, app.listed, { connectUrl, mode: "iframe" })
        const dialog = page.getByRole("dialog", { name: "Connect your tools" })
        const frame = dialog.frameLocator("iframe")
        const denied = await popupOf(context, frame.getByRole("button", { name: "Continue to HubSpot" }).click())
        await button(denied, "Deny").click()
        await frame.getByRole("heading", { name: "Access was not given" }).waitFor()
        assert.deepInclude((await eventsOf(page))[0], { type: "error", code: "DENIED" })
        const allowed = await popupOf(context, frame.getByRole("button", { name: "Try again" }).click())
        await button(allowed, "Allow").click()
        await frame.getByRole("button", { name: "Done" }).click()
        await dialog.waitFor({ state: "detached" })
        const connection = await oneConnection(app, endUser)
        assert.deepStrictEqual((await eventsOf(page)).slice(1), [
          { type: "connected", connectionId: connection?.id, integration: "hubspot" },
          { type: "closed" }
        ])
        assert.isTrue(
          await button(page, "Connect").evaluate((element) => element === element.ownerDocument.activeElement)
        )
      }
    )

    inBrowser(
      "does nothing in a page that the organisation does not allow",
      async ({ app, context, endUser, page }) => {
        const connectUrl = await app.connectUrl(endUser)
        await openFrom(page, app.unlisted, { connectUrl, mode: "iframe", container: "#place" })
        const frame = page.frameLocator("#place iframe")
        await frame.getByRole("heading", { name: "This page may not be opened there" }).waitFor()
        await frame.getByText(app.unlisted).waitFor()
        assert.strictEqual(await frame.getByRole("button").count(), 0)

        const popup = await popupOf(
          context,
          page
            .evaluate("options = { ...options, mode: 'popup', container: undefined }")
            .then(() => button(page, "Connect").click())
        )
        await view(popup, "This page may not be opened there")
        await popup.close()
        await page.waitForFunction("events.length > 0")
        assert.deepStrictEqual(await eventsOf(page), [{ type: "closed" }])
      }
    )

    it.effect("is framed by nobody who pretends to be another", () =>
      Effect.gen(function* () {
        const app = yield* ConnectApplication
        const policyOf = (query: string) =>
          Effect.promise(async () => {
            const response = await fetch(`${app.service}/connect${query}`)
            return [
              response.status,
              /frame-ancestors ([^;]+)/.exec(response.headers.get("content-security-policy") ?? "")?.[1]
            ]
          })
        assert.deepStrictEqual(yield* policyOf(""), [200, "'none'"])
        assert.deepStrictEqual(yield* policyOf(`?origin=${app.listed}`), [200, app.listed])
        const odd = [
          "*",
          "https://*",
          "https://a.example/path",
          "https://a.example;sandbox",
          "javascript:1",
          "null",
          ""
        ]
        for (const origin of odd) {
          assert.deepStrictEqual(yield* policyOf(`?origin=${encodeURIComponent(origin)}`), [400, "'none'"], origin)
        }
        assert.deepStrictEqual(yield* policyOf(`?origin=${app.listed}&origin=${app.unlisted}`), [400, "'none'"])
      })
    )

    inBrowser("says on the way back what is wrong with a state, and stays readable", async ({ app, page }) => {
      const response = await page.goto(`${app.service}/connect/callback?code=x&state=unknown`)
      assert.strictEqual(response?.status(), 400)
      await page.getByRole("heading", { level: 1 }).waitFor()
      await button(page, "Close this window").waitFor()
    })

    inBrowser("is worked by the keyboard alone", async ({ app, context, endUser, page }) => {
      await open(page, await app.connectUrl(endUser))
      const focused = () => page.evaluate<string>("document.activeElement.id || document.activeElement.textContent")
      assert.match(await focused(), /^Connect your tools/)
      await page.keyboard.press("Tab")
      assert.strictEqual(await focused(), "search")
      await page.keyboard.type("hubs")
      await page.locator("#announcer", { hasText: /^1 integration$/ }).waitFor({ state: "attached" })
      await page.keyboard.press("Tab")
      assert.strictEqual(await focused(), "pick-hubspot")
      const outline = await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle")
      assert.strictEqual(outline, "solid")
      await page.keyboard.press("Enter")
      await view(page, "Connect HubSpot")
      assert.strictEqual(await focused(), "Connect HubSpot")
      await page.keyboard.press("Shift+Tab")
      assert.strictEqual(await focused(), "All integrations")
      await page.keyboard.press("Tab")
      assert.strictEqual(await focused(), "Continue to HubSpot")
      const popup = await popupOf(context, page.keyboard.press("Enter"))
      await button(popup, "Allow").press("Enter")
      await view(page, "HubSpot is connected")
      assert.strictEqual(await focused(), "HubSpot is connected")
    })

    inBrowser(
      "fits a narrow window and can be read, light and dark",
      async ({ app, context, endUser, page }) => {
        const check = async (what: string) => {
          for (const colorScheme of ["light", "dark"] as const) {
            await page.emulateMedia({ colorScheme })
            assert.deepStrictEqual(await faintTexts(page), [], `${what}, ${colorScheme}`)
          }
          assert.isAtMost(await page.evaluate<number>("document.documentElement.scrollWidth"), 360, what)
        }
        await app.spoil(await app.connect(endUser, "pipedrive"))
        await app.connect(endUser, "xero")
        await open(page, await app.connectUrl(endUser))
        await check("list")
        await button(page, /^Pipedrive/).click()
        await view(page, "Pipedrive")
        await check("accounts")
        await button(page, "All integrations").click()
        await button(page, /^Ledger/).click()
        await page.getByLabel("Connection string", { exact: true }).fill("ledger://bad")
        await button(page, "Connect Ledger Database").click()
        await page.getByText("The password is wrong.").waitFor()
        await check("form")
        await button(page, "All integrations").click()
        await button(page, /^HubSpot/).click()
        const popup = await popupOf(context, button(page, "Continue to HubSpot").click())
        await view(page, "Continue at HubSpot")
        await check("waiting")
        await button(popup, "Deny").click()
        await view(page, "Access was not given")
        await check("denied")
      },
      // colours on their way from one to another are no colours to measure
      { viewport: { width: 360, height: 640 }, reducedMotion: "reduce" }
    )
  })
})
