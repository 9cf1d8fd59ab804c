import { setFlagsFromString } from "node:v8"

/**
 * Has V8 collect its old generation before the heap is twice what is in use. What a request makes dies with it, but waits for
 * a provider until then and is taken for long-lived; V8 would let it grow to several times that:
 * https://v8.dev/blog/trash-talk. `docs/decisions/0008-v8-flag.md` has what that saves.
 */
export const growSlowly = () => setFlagsFromString("--heap-growing-percent=80")
