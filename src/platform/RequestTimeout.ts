import { Config, Duration } from "effect"

/** `REQUEST_TIMEOUT`: the time that a request has, in seconds. */
export const requestTimeout = Config.number().pipe(
  Config.validate({
    message: "Expected seconds, more than 0 and at most 600",
    validation: (seconds) => seconds > 0 && seconds <= 600
  }),
  Config.nested("REQUEST_TIMEOUT"),
  Config.withDefault(30),
  Config.map(Duration.seconds)
)
