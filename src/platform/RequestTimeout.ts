import { Config } from "effect"

/** `REQUEST_TIMEOUT`: the seconds that a request may take; uploads, downloads, tool calls and chat have limits of their own. */
export const requestTimeout = Config.integer().pipe(
  Config.validate({
    message: "Expected whole seconds, 1 to 3600",
    validation: (seconds) => seconds >= 1 && seconds <= 3600
  }),
  Config.nested("REQUEST_TIMEOUT"),
  Config.withDefault(30)
)
