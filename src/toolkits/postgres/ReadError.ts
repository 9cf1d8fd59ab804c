import { DatabaseError } from "pg"
import {
  Clash,
  Down,
  Invalid,
  LimitReached,
  NotPermitted,
  type Reason,
  TimedOut,
  Unauthenticated
} from "../../providers/ProviderError.ts"

/** The reason of a failure, and words of PostgreSQL or the driver about it, without secrets. */
export interface Failure {
  readonly reason: Reason
  readonly detail?: string
}

const wordsOf = ({ detail, hint, message }: DatabaseError) =>
  [message, detail, hint].filter((part) => part !== undefined && part !== "").join("; ")

/** Reasons by SQLSTATE, the longest beginning first: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const states: ReadonlyArray<readonly [beginning: string, reason: (words: string) => Reason]> = [
  ["42501", () => new NotPermitted()],
  ["25006", () => new NotPermitted()],
  ["57014", () => new TimedOut()],
  ["55P03", () => new Clash()],
  ["53300", () => new LimitReached({ retryAfter: 5 })],
  ["28", () => new Unauthenticated()],
  ["3D", (words) => new Invalid({ fields: { database: words } })],
  ["40", () => new Clash()],
  ["23", () => new Clash()],
  ["08", () => new Down()],
  ["53", () => new Down()],
  ["57", () => new Down()],
  ["58", () => new Down()],
  ["XX", () => new Down()]
]

/** Codes of certificates that are not trusted: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const certificate = /CERT|SIGNATURE|ISSUER|SELF_SIGNED|ERR_TLS/

const network = (code: string, message: string): Failure => {
  if (/query read timeout|timeout expired/i.test(message)) return { reason: new TimedOut() }
  if (certificate.test(code)) {
    return {
      reason: new Invalid({ fields: {} }),
      detail:
        "the server's certificate is not one that is trusted; sslmode=require encrypts without checking whose certificate it is"
    }
  }
  if (/does not support SSL/i.test(message)) {
    return {
      reason: new Invalid({ fields: {} }),
      detail: "the server does not speak TLS; sslmode=disable connects without it"
    }
  }
  return { reason: new Down(), detail: "no connection" }
}

/** Reads the error of a failed connection or statement. */
export const readError = (error: unknown): Failure => {
  if (!(error instanceof DatabaseError)) {
    const code = error instanceof Error && "code" in error ? String(error.code) : ""
    return network(code, error instanceof Error ? error.message : "")
  }
  const { code = "" } = error
  const words = wordsOf(error).slice(0, 1000)
  const found = states.find(([beginning]) => code.startsWith(beginning))
  if (found !== undefined) return { reason: found[1](words), detail: words }
  return { reason: new Invalid({ fields: { sql: words } }), detail: words }
}
