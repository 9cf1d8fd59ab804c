import { getPath } from "../../mapping/Mapping.ts"
import { type ReadError, retryAfter } from "../../providers/base/Errors.ts"
import { Clash, Invalid, LimitReached, NotPermitted } from "../../providers/ProviderError.ts"

/** Reads an error of Notion: `{object: "error", status, code, message}`. https://developers.notion.com/reference/status-codes */
export const readError: ReadError = (answer) => {
  const message = getPath(answer.body, "message")
  const detail = typeof message === "string" ? message.slice(0, 1000) : undefined
  switch (getPath(answer.body, "code")) {
    case "rate_limited":
      return { reason: new LimitReached({ retryAfter: retryAfter(answer, 10) }), detail }
    case "restricted_resource":
      return { reason: new NotPermitted(), detail }
    case "conflict_error":
      return { reason: new Clash(), detail }
    case "validation_error":
    case "invalid_json":
    case "invalid_request":
      return { reason: new Invalid({ fields: {} }), detail }
    default:
      return { detail }
  }
}
