import { Either } from "effect"
import type { Reply } from "../../simulation/Simulator.ts"

// https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_156570709583.html

/** Why a request is refused. `path` is the place in the body, `header` and `parameter` name what else was wrong. */
export interface Complaint {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly path?: string
  readonly url?: string
  readonly header?: string
  readonly parameter?: string
}

export type Outcome<A> = Either.Either<A, Complaint>

export const refuse = (complaint: Complaint): Outcome<never> => Either.left(complaint)

const sections: { readonly [status: number]: readonly [title: string, section: string] } = {
  400: ["Bad Request", "#sec10.4.1"],
  401: ["Unauthorized", "#sec10.4.2"],
  403: ["Forbidden", "#sec10.4.4"],
  404: ["Not Found", "#sec10.4.5"],
  405: ["Method Not Allowed", "#sec10.4.6"],
  409: ["Conflict", "#sec10.4.10"],
  429: ["Too Many Requests", ""],
  503: ["Service Unavailable", "#sec10.5.4"]
}

export const problem = ({ code, detail, header, parameter, path, status, url }: Complaint): Reply => {
  const [title, section] = sections[status] ?? ["Internal Server Error", "#sec10.5.1"]
  return {
    status,
    headers: { "content-type": "application/vnd.oracle.resource+json; type=error" },
    body: {
      type: `https://www.w3.org/Protocols/rfc2616/rfc2616-sec10.html${section}`,
      title,
      status,
      "o:errorDetails": [
        {
          detail,
          ...(path === undefined ? {} : { "o:errorPath": path }),
          ...(url === undefined ? {} : { "o:errorUrl": url }),
          ...(header === undefined ? {} : { "o:errorHeader": header }),
          ...(parameter === undefined ? {} : { "o:errorQueryParam": parameter }),
          "o:errorCode": code
        }
      ]
    }
  }
}

const accessing = "Error while accessing resource: "

/** A rule of the business that the request breaks. */
export const userError = (detail: string): Complaint => ({
  status: 400,
  code: "USER_ERROR",
  detail: accessing + detail
})

export const missingValue = (labels: ReadonlyArray<string>): Complaint =>
  userError(`Please enter value(s) for: ${labels.join(", ")}`)

/** A body that cannot be taken as it is. */
export const invalidContent = (detail: string, path?: string): Complaint => ({
  status: 400,
  code: "INVALID_CONTENT",
  detail: accessing + detail,
  ...(path === undefined ? {} : { path })
})

export const invalidValue = (value: unknown, path: string): Complaint =>
  invalidContent(
    `You have entered an Invalid Field Value ${typeof value === "object" ? JSON.stringify(value) : String(value)} for the following field: ${path.replace(/.*[.]/, "")}`,
    path
  )

export const missingRecord = (url: string): Complaint => ({
  status: 404,
  code: "NONEXISTENT_ID",
  detail: "The record instance does not exist. Provide a valid record instance ID.",
  url
})

export const missingType = (type: string, url: string): Complaint => ({
  status: 404,
  code: "NONEXISTENT_RECORD_TYPE",
  detail: `Record type '${type}' does not exist. Provide a valid record type.`,
  url
})

export const notAllowed = (url: string): Complaint => ({
  status: 405,
  code: "INVALID_METHOD",
  detail: "The requested HTTP method is not supported by the resource.",
  url
})

export const badParameter = (parameter: string, detail: string): Complaint => ({
  status: 400,
  code: "INVALID_PARAMETER",
  detail,
  parameter
})

export const invalidLogin: Complaint = {
  status: 401,
  code: "INVALID_LOGIN",
  detail:
    "Invalid login attempt. For more details, see the Login Audit Trail in the NetSuite UI at Setup > Users/Roles > User Management > View Login Audit Trail."
}
