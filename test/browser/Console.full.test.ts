import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { BrowserContext, Page } from "playwright-core"
import { Browser, faintTexts, isInstalled, visit } from "../support/Browser.ts"
import * as Application from "./ConsoleApplication.ts"
import { ConsoleApplication } from "./ConsoleApplication.ts"

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name })
const link = (page: Page, name: string | RegExp) => page.getByRole("link", { name })
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor()
const row = (page: Page, text: string | RegExp) => page.getByRole("row").filter({ hasText: text })

const signIn = async (page: Page, service: string, key: string) => {
  await page.goto(`${service}/console`)
  await heading(page, "Sign in to the console")
  await page.getByLabel("API key").fill(key)
  await page.keyboard.press("Enter")
  await heading(page, "Overview")
}

const sections = [
  "Overview",
  "Requests",
  "Tool calls",
  "Connections",
  "End users",
  "Approvals",
  "Field mappings",
  "Programs",
  "Watches",
  "Events",
  "Webhooks",
  "API keys",
  "Allowed origins"
]

describe.skipIf(!isInstalled)("the console in a browser", () => {
  layer(Layer.merge(Browser.layer, Application.layer), { excludeTestServices: true })((it) => {
    const inBrowser = (
      name: string,
      run: (given: {
        readonly app: typeof ConsoleApplication.Service
        readonly page: Page
        readonly context: BrowserContext
      }) => Promise<void>,
      options: Parameters<typeof visit>[1] = {}
    ) =>
      it.effect(name, () =>
        Effect.flatMap(ConsoleApplication, (app) => visit((page, context) => run({ app, page, context }), options))
      )

    inBrowser("signs in and out, and says when a key is wrong", async ({ app, context, page }) => {
      const key = await app.newcomer("Signing in")
      await page.goto(`${app.service}/console/keys`)
      await page.getByLabel("API key").fill("sk_test_wrong")
      await button(page, "Sign in").click()
      await page.getByText("This is not a key of this service, or it was revoked.").waitFor()
      assert.strictEqual(await page.getByLabel("API key").inputValue(), "")
      await signIn(page, app.service, key)
      const [cookie] = await context.cookies()
      assert.deepInclude(cookie, { httpOnly: true, sameSite: "Strict", path: "/console" })
      assert.isEmpty(await page.evaluate("document.cookie"))
      await button(page, "Sign out").click()
      await heading(page, "Sign in to the console")
      await page.goto(`${app.service}/console`)
      await heading(page, "Sign in to the console")
    })

    inBrowser("creates a key that is shown once and works, and revokes it", async ({ app, page }) => {
      await signIn(page, app.service, await app.newcomer("Keys"))
      await link(page, "API keys").click()
      await page.getByText("Create a key").click()
      await page.getByLabel("Name").fill("Reports")
      await page.getByRole("checkbox", { name: /^records:write/ }).uncheck()
      await button(page, "Create key").click()
      const made = (await page.getByLabel("The new key").textContent()) ?? ""
      assert.strictEqual(await app.call(made, "/providers"), 200)
      await row(page, /Reports[^]*records:read, connect/).waitFor()
      await page.reload()
      assert.strictEqual(await page.getByText(made).count(), 0)
      await link(page, `Revoke ${made.slice(0, 12)}…`).click()
      await heading(page, `Revoke ${made.slice(0, 12)}…?`)
      await button(page, "Revoke key").click()
      await page.getByRole("status").getByText("is revoked").waitFor()
      assert.strictEqual(await app.call(made, "/providers"), 401)
    })

    inBrowser("is signed out by revoking the key it is signed in with", async ({ app, page }) => {
      await signIn(page, app.service, await app.newcomer("Own key"))
      await link(page, "API keys").click()
      await link(page, /^Revoke/).click()
      await page.getByText("so you are signed out too").waitFor()
      await button(page, "Revoke key").click()
      await heading(page, "Sign in to the console")
    })

    inBrowser("makes a link, with which the end user connects an account", async ({ app, context, page }) => {
      await signIn(page, app.service, await app.newcomer("Links"))
      await link(page, "End users").first().click()
      await page.getByText("There are no end users yet").waitFor()
      await page.getByText("Make a connect link for a new end user").click()
      await page.getByLabel("Your id of the end user").fill("ann")
      await button(page, "Make link").click()
      const address = (await page.getByLabel("The link").textContent()) ?? ""
      const other = await context.newPage()
      await other.goto(address)
      await other.getByRole("heading", { level: 1, name: "Connect your tools to Links" }).waitFor()
      await button(other, /^HubSpot/).click()
      const [popup] = await Promise.all([context.waitForEvent("page"), button(other, "Continue to HubSpot").click()])
      await button(popup, "Allow").click()
      await other.getByRole("heading", { level: 1, name: "HubSpot is connected" }).waitFor()
      await page.reload()
      await row(page, "ann").getByRole("link", { name: "HubSpot" }).click()
      await heading(page, "Connections")
      await row(page, /HubSpot[^]*Active/).waitFor()
    })

    inBrowser("shows the health of connections, renews one and removes one", async ({ app, page }) => {
      const key = await app.busy("Connections")
      await signIn(page, app.service, key)
      await link(page, "1 to reconnect").click()
      await heading(page, "Connections")
      const stale = row(page, "fjord-shipping")
      await stale.getByText("Needs reconnection").waitFor()
      await stale.getByText("The provider refused the refresh token.").waitFor()
      await stale.getByRole("button", { name: /reconnect link/ }).click()
      assert.match((await page.getByLabel("The link").textContent()) ?? "", /\/connect#token=cs_test_/)
      await row(page, /Xero[^]*acme-ltd/)
        .getByRole("link", { name: /^Remove/ })
        .click()
      await heading(page, "Remove this connection?")
      await link(page, "Keep it").click()
      await row(page, /Xero[^]*acme-ltd/)
        .getByRole("link", { name: /^Remove/ })
        .click()
      await button(page, "Remove connection").click()
      await page.getByRole("status").getByText("is removed").waitFor()
      assert.strictEqual(await row(page, /Xero[^]*acme-ltd/).count(), 0)
      assert.strictEqual(await app.call(key, "/accounting/invoice?provider=xero"), 404)
    })

    inBrowser("draws the last hour, finds requests and shows one", async ({ app, context, page }) => {
      const key = await app.busy("Requests")
      await app.call(key, "/crm/contact?provider=hubspot&limit=1")
      await signIn(page, app.service, key)
      await page.getByRole("img", { name: /^\d+ requests in the last hour/ }).waitFor()
      await page.getByRole("img", { name: /^Half of the requests were answered within \d+ ms/ }).waitFor()
      await link(page, "Requests").click()
      await page.getByRole("row").nth(1).getByText("/crm/contact").waitFor()
      await link(page, "Next").click()
      await link(page, "First page").click()
      await page.getByLabel("Status").selectOption("Failed")
      await page.getByLabel("Provider").selectOption("Xero")
      await button(page, "Show").click()
      // the rows read before would be those of the page that goes
      await page.waitForURL(/requests\?about=&status=failed&provider=xero$/)
      const shown = await page.getByRole("row").allTextContents()
      assert.isAbove(shown.length, 1)
      for (const text of shown.slice(1)) assert.match(text, /(404|502)[\s\S]*Xero/)
      await context.grantPermissions(["clipboard-read", "clipboard-write"])
      await page.getByRole("row").nth(1).getByRole("link").click()
      await page.getByRole("heading", { level: 2, name: "Calls to providers" }).waitFor()
      await button(page, "Copy the request id").click()
      await page.getByText("The request id is copied").waitFor()
      const copied = await page.evaluate<string>("navigator.clipboard.readText()")
      await link(page, copied).click()
      await page.getByRole("row").nth(1).getByText("Xero").waitFor()
    })

    inBrowser("overrides a field mapping after a preview", async ({ app, page }) => {
      await signIn(page, app.service, await app.busy("Mappings"))
      await link(page, "Field mappings").click()
      await page.getByLabel("Provider").selectOption("HubSpot")
      await page.getByLabel("Resource").selectOption("contact")
      await button(page, "Show").click()
      await page.getByText("Add or change an override").click()
      await page.getByLabel("Field", { exact: true }).fill("town")
      await page.getByLabel("Native field").fill("citty")
      await button(page, "Preview").click()
      await page
        .getByText(/no field citty|citty/)
        .first()
        .waitFor()
      assert.strictEqual(await page.getByLabel("Field", { exact: true }).inputValue(), "town")
      await page.getByLabel("Native field").fill("city")
      await button(page, "Preview").click()
      await page.getByText("Nothing is saved yet.").waitFor()
      await button(page, "Save override").click()
      await page.getByRole("status").getByText("town is now made of city.").waitFor()
      await row(page, "custom_fields.town").getByText("override").waitFor()
      await button(page, "Remove the override of custom_fields.town").click()
      await page.getByRole("status").getByText("is removed").waitFor()
    })

    inBrowser(
      "reads well on phones and desks, light and dark",
      async ({ app, page }) => {
        const shots = process.env["SHOTS"]
        const check = async (name: string) => {
          for (const width of [360, 1280]) {
            await page.setViewportSize({ width, height: 800 })
            for (const colorScheme of ["light", "dark"] as const) {
              await page.emulateMedia({ colorScheme })
              const at = `${name.toLowerCase().replace(" ", "-")}-${width}-${colorScheme}`
              if (shots !== undefined) {
                const clip = { x: 0, y: 0, width, height: 1200 }
                await page.screenshot({ path: `${shots}/console-${at}.png`, fullPage: true, clip })
              }
              assert.isEmpty(await faintTexts(page), at)
              const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
              assert.isAtMost(overflow, 0, at)
            }
          }
        }
        const key = await app.busy("Northwind")
        await page.goto(`${app.service}/console`)
        await check("Sign in")
        await signIn(page, app.service, key)
        for (const section of sections) {
          await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: section }).click()
          await heading(page, section)
          await check(section)
        }
        await page.goto(`${app.service}/console/requests?status=5xx`)
        await page.getByRole("row").nth(1).getByRole("link").click()
        await page.getByRole("heading", { level: 2, name: "Calls to providers" }).waitFor()
        await check("Request")
        await page.goto(`${app.service}/console/keys`)
        await page.getByText("Create a key").click()
        await page.getByLabel("Name").fill("Reports")
        await check("Key form")
        await button(page, "Create key").click()
        await page.getByLabel("The new key").waitFor()
        await check("New key")
        await link(page, "What happened to keys").click()
        await heading(page, "What happened to keys")
        await check("Key events")
        await link(page, "Field mappings").click()
        await page.getByText("Add or change an override").click()
        await page.getByLabel("Field", { exact: true }).fill("title")
        await page.getByLabel("Native field").fill("nothing_like_it")
        await button(page, "Save override").click()
        await page.locator("[aria-invalid]").first().waitFor()
        await check("Wrong mapping")
      },
      // colours on their way from one to another are no colours to measure
      { reducedMotion: "reduce" }
    )

    inBrowser("can be used with the keyboard alone", async ({ app, page }) => {
      await page.goto(`${app.service}/console`)
      await page.locator("#key:focus").waitFor()
      await page.keyboard.type(await app.newcomer("Keyboard"))
      await page.keyboard.press("Enter")
      await heading(page, "Overview")
      await page.keyboard.press("Tab")
      assert.strictEqual(await page.evaluate("document.activeElement.textContent"), "Skip to content")
      await page.keyboard.press("Enter")
      assert.strictEqual(await page.evaluate("document.activeElement.id"), "main")
    })
  })
})
