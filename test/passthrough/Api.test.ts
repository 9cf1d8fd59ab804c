import { assert, describe, it } from "@effect/vitest"
import { PassthroughApi, RoutedPassthroughApi } from "../../src/passthrough/Api.ts"
import type { DeclaredGroup } from "../../src/platform/ApiErrors.ts"

const methodsOf = (groups: ReadonlyArray<DeclaredGroup>) =>
  groups.flatMap(({ endpoints }) => Object.entries(endpoints).map(([name, { method }]) => [name, method]))

describe("the declarations of passthrough", () => {
  // scopes and labels are those of the documented one
  it("have the same methods, documented and served", () => {
    const documented = methodsOf(Object.values(PassthroughApi.groups))
    assert.lengthOf(documented, 5)
    assert.deepStrictEqual(methodsOf(Object.values(RoutedPassthroughApi.groups)), documented)
  })
})
