import { Either, Option, Redacted } from "effect"

/** Checks of the server's certificate, by libpq's names: https://www.postgresql.org/docs/current/libpq-ssl.html */
const modes = ["disable", "require", "verify-ca", "verify-full"] as const

/** A database, and the user who connects to it. */
export interface Target {
  /** A name or an address, as it was written; an IPv6 address in brackets. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: Redacted.Redacted
  readonly tls: (typeof modes)[number]
}

const shape = "must look like postgresql://user:password@host:5432/database"

const decoded = Option.liftThrowable(decodeURIComponent)

/**
 * Reads a connection string; says what is wrong with one without repeating any of it. Unlike libpq, takes nothing from the
 * environment or from files: nothing stands in for parts that the string lacks.
 */
export const parse = (text: Redacted.Redacted): Either.Either<Target, string> => {
  const written = Redacted.value(text).trim()
  const wrong = (what: string) => Either.left(what)
  if (!/^postgres(ql)?:\/\//.test(written) || !URL.canParse(written)) return wrong(shape)
  const url = new URL(written)
  // an @ further on means that a part of the password was taken for the host
  if (`${url.pathname}${url.search}${url.hash}`.includes("@")) {
    return wrong(`${shape}; special characters in the password are percent-encoded`)
  }
  const strange = [...url.searchParams.keys()].find((name) => name !== "sslmode" && name !== "channel_binding")
  if (strange !== undefined || url.hash !== "") return wrong("may have no parameters but sslmode and channel_binding")
  const sslmode = url.searchParams.get("sslmode") ?? "verify-full"
  const tls = modes.find((mode) => mode === sslmode)
  if (tls === undefined) return wrong(`must have one of these as sslmode: ${modes.join(", ")}`)
  const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map((part) =>
    Option.getOrElse(decoded(part), () => "")
  )
  if (url.hostname === "" || !user || !password || !database || database.includes("/")) {
    return wrong(`${shape}: user, password, host and database must all be there`)
  }
  const port = url.port === "" ? 5432 : Number(url.port)
  // below are other services' ports
  if (port < 1024) return wrong("must have a port from 1024 to 65535")
  return Either.right({ host: url.hostname, port, database, user, password: Redacted.make(password), tls })
}
