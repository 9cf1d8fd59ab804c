import {
  Busy,
  Down,
  LimitReached,
  Malformed,
  ProviderError,
  type Reason,
  TimedOut
} from "../providers/ProviderError.ts"
import * as OAuth from "./OAuth.ts"

/** Seconds for which a failed refresh is the answer to all who ask for one; longer where the token endpoint says so. */
export const failureSeconds = 1

/** Fails a call that was not sent. */
export const busy = (retryAfter: number, why: string) => new Busy({ retryAfter, why })

/** Seconds for which others share a failure; 0 for one that is remembered with the connection, or is shared already. */
export const secondsOf = ({ reason }: ProviderError): number => {
  switch (reason._tag) {
    case "LimitReached":
      return Math.max(failureSeconds, reason.retryAfter)
    case "Down":
      return Math.max(failureSeconds, reason.retryAfter ?? 0)
    case "TimedOut":
    case "Malformed":
      return failureSeconds
    default:
      return 0
  }
}

/** A failure as it is told later: a limit is over sooner than at first. */
export const withLeft = (error: ProviderError, left: number) =>
  error.reason._tag === "LimitReached"
    ? new ProviderError({ ...error, reason: new LimitReached({ retryAfter: left }) })
    : error.reason._tag === "Down" && error.reason.retryAfter !== undefined
      ? new ProviderError({ ...error, reason: new Down({ retryAfter: left }) })
      : error

/** A token error as the reason of a provider's failure. */
export const reasonOf = (error: OAuth.TokenError): readonly [Reason, string] => {
  switch (error.reason) {
    case "limited":
      return [new LimitReached({ retryAfter: error.retryAfter ?? 10 }), "its token endpoint is limited"]
    case "timeout":
      return [new TimedOut(), "its token endpoint did not answer in time"]
    case "malformed":
      return [
        new Malformed(),
        error.code === OAuth.tooLarge ? "its token endpoint answered too much" : "its token endpoint gave no tokens"
      ]
    case "client":
      return [new Down(), "its token endpoint does not accept this service's client"]
    default:
      return [
        new Down(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }),
        "its token endpoint is away"
      ]
  }
}
