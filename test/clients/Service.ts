/** The service that the programs here call, and how they check what it answers. */
const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

export const address = setting("ADDRESS")
export const key = setting("KEY")
export const endUser = "demo"

/** Ends the program where something does not hold; `said` is what the service said instead. */
export const check = (what: string, holds: unknown, said?: string) => {
  if (holds === undefined || holds === false) throw new Error(`${what}: ${said ?? "not as it should be"}`)
}

interface Line {
  readonly remote_id?: string | null
}

const ids = (lines: ReadonlyArray<Line>) => lines.map(({ remote_id }) => remote_id).join()

/** Lines that are sent back as they were read stay the ones that they are. */
export const linesKept = (before: ReadonlyArray<Line>, after: ReadonlyArray<Line> | undefined, said?: string) => {
  check("lines", before.length > 0)
  check("lines sent back", after !== undefined && ids(after) === ids(before), said)
}
