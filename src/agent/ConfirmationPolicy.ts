import type { Hints } from "../toolkits/Tool.ts"
import { plainName } from "./ToolCatalogue.ts"
import type { Confirm } from "./Workspace.ts"

/** From the loosest to the strictest. */
const strictness: ReadonlyArray<Confirm> = ["never", "destructive", "writes"]

/** The stricter of what a workspace says and what a request asks for: a request takes no question away. */
export const strictest = (one: Confirm, other: Confirm): Confirm =>
  strictness.indexOf(one) >= strictness.indexOf(other) ? one : other

/** Whether somebody has to agree to a call before it runs. */
export const needsConsent = (confirm: Confirm, { destructive, readOnly }: Hints) =>
  confirm === "writes" ? !readOnly : confirm === "destructive" && destructive

/** The most that the tools may do which an executor calls. */
export type Reach = "reads" | "writes" | "destroys"

/** The executor of a tool, which a host that always allows another does not allow with it. */
export const executorOf = ({ destructive, readOnly }: Hints) =>
  readOnly ? "execute_read_tools" : destructive ? "execute_destructive_tools" : "execute_tools"

/**
 * Tells whether the name of a tool fits one of some patterns, in which `*` stands for any characters. Pieces are looked for
 * one behind the other, since a regular expression of many stars could take for ever.
 */
export const fitting = (patterns: ReadonlyArray<string>) => {
  const tests = patterns.map((pattern) => {
    const [first = "", ...pieces] = plainName(pattern).split("*")
    const last = pieces.pop()
    return (name: string) => {
      if (last === undefined) return name === first
      if (!name.startsWith(first)) return false
      let at = first.length
      for (const piece of pieces) {
        const found = name.indexOf(piece, at)
        if (found < 0) return false
        at = found + piece.length
      }
      return name.length - last.length >= at && name.endsWith(last)
    }
  })
  return (name: string) => tests.some((fits) => fits(name))
}
