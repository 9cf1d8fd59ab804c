import { Context, Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import {
  type Browser as Chromium,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page
} from "playwright-core"

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium"

/** Whether there is a Chromium to test with: Debian's, or the one that `CHROMIUM` names. */
export const isInstalled = existsSync(executablePath)

if (!isInstalled) process.stderr.write(`Skipped: there is no ${executablePath}; apt-get install chromium\n`)

const flags = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"]
]

/** One Chromium for a whole file. */
export class Browser extends Context.Tag("tributary/test/Browser")<Browser, Chromium>() {
  static readonly layer = Layer.scoped(
    Browser,
    Effect.acquireRelease(
      Effect.promise(() => chromium.launch({ executablePath, args: flags })),
      (browser) => Effect.promise(() => browser.close())
    )
  )
}

/** Milliseconds after which something that does not show up is missing. */
const patience = 10_000

/**
 * Runs a test in a browser of a new visitor. It fails when a page reports an error or breaks its own content policy.
 */
export const visit = (
  run: (page: Page, context: BrowserContext) => Promise<void>,
  options: BrowserContextOptions = {}
): Effect.Effect<void, never, Browser> =>
  Effect.flatMap(Browser, (browser) =>
    Effect.acquireUseRelease(
      Effect.promise(() => browser.newContext(options)),
      (context) =>
        Effect.promise(async () => {
          const problems: Array<string> = []
          context.setDefaultTimeout(patience)
          context.on("weberror", (error) => problems.push(error.error().message))
          context.on("console", (message) => {
            if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
              problems.push(message.text())
            }
          })
          await run(await context.newPage(), context)
          if (problems.length > 0) throw new Error(`The pages reported: ${problems.join("; ")}`)
        }),
      (context) => Effect.promise(() => context.close())
    )
  )

/** Texts on a page whose contrast with what is behind them is less than WCAG's AA, with the contrast. */
export const faintTexts = (page: Page): Promise<ReadonlyArray<string>> => page.evaluate(readFaintTexts)

// Runs in the page.
const readFaintTexts = `(() => {
  const channels = (colour) => {
    const [r, g, b, alpha] = (colour.match(/[\\d.]+/g) ?? []).map(Number)
    // a mixed colour comes as color(srgb 0.5 0.5 0.5)
    return colour.startsWith("color") ? [r * 255, g * 255, b * 255, alpha] : [r, g, b, alpha]
  }
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const [r, g, b, alpha = 1] = channels(getComputedStyle(at).backgroundColor)
      if (alpha === 1) return [r, g, b]
    }
    return [255, 255, 255]
  }
  return [...document.body.querySelectorAll("*")].flatMap((element) => {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "")
    if (!own || element.closest(".hidden, noscript") !== null || !element.checkVisibility()) return []
    const style = getComputedStyle(element)
    const colour = style.fill !== "rgb(0, 0, 0)" && element instanceof SVGElement ? style.fill : style.color
    const [light, dark] = [luminance(channels(colour).slice(0, 3)), luminance(behind(element))].sort((a, b) => b - a)
    const contrast = (light + 0.05) / (dark + 0.05)
    return contrast < 4.5 ? [element.textContent.trim() + ": " + contrast.toFixed(2)] : []
  })
})()`
