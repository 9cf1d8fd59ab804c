import { format, resolveConfig } from "prettier"
import type { ExpectStatic } from "vitest"

/** Whether this run updates snapshots (`npx vitest run … -u`). */
export const isUpdating = (expect: ExpectStatic) =>
  Reflect.get(expect.getState().snapshotState, "_updateSnapshot") === "all"

/** Formats JSON as Prettier wants the file, so that a new snapshot passes `npm run format:check`. */
export const formatJson = async (path: string, json: string) =>
  format(json, { ...(await resolveConfig(path)), parser: "json" })

/** Writes each member of an object on a line of its own. The values are JSON already. */
export const toLines = (members: Iterable<readonly [name: string, json: string]>) =>
  `{\n${[...members].map(([name, json]) => `${JSON.stringify(name)}: ${json}`).join(",\n")}\n}`
