import { execFileSync } from "node:child_process"
import { join } from "node:path"

/** Builds the service when it is not built from the present sources. */
export const setup = () => {
  execFileSync(process.execPath, [join(import.meta.dirname, "../../.build/build.mjs"), "--if-needed"], {
    stdio: "inherit"
  })
}
