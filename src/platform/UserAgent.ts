import { Config, Option } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { configuredUrl } from "./Address.ts"

const own = Config.string().pipe(
  Config.validate({
    message:
      "Expected 1 to 255 letters, digits, signs and inner spaces of ASCII: Acme-Sync/2.1 (+https://acme.example)",
    // https://datatracker.ietf.org/doc/html/rfc9110#section-10.1.5
    validation: (text) => text.length <= 255 && /^[!-~]+( [!-~]+)*$/.test(text)
  }),
  Config.nested("USER_AGENT"),
  Config.option
)

/**
 * The `User-Agent` of calls to providers: `USER_AGENT`, else `Tributary/<version> (+<PUBLIC_URL>)`, whose parenthesis is left
 * out without a `PUBLIC_URL`.
 */
export const userAgent = Config.all({ own, home: configuredUrl }).pipe(
  Config.map(({ home, own }) =>
    Option.getOrElse(own, () => {
      const product = `Tributary/${packageJson.version}`
      return Option.match(home, { onNone: () => product, onSome: (url) => `${product} (+${url})` })
    })
  )
)
