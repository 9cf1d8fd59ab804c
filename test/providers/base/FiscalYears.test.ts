import { assert, describe, it } from "@effect/vitest"
import { type Books, yearsUntil } from "../../../src/providers/base/FiscalYears.ts"

const years = (today: string, yearStart: string, rest: Partial<Books>) =>
  yearsUntil(today, { calendar: { yearStart, zone: undefined }, begun: [], closed: [], ...rest }).map(
    ({ record: { EndDate, Id, IsClosed, StartDate } }) => {
      assert.strictEqual(Id, EndDate)
      return `${String(StartDate)} ${String(EndDate)} ${IsClosed === true ? "closed" : "open"}`
    }
  )

describe("fiscal years", () => {
  it("go from the earliest day that is stated to the year that is running", () => {
    assert.deepStrictEqual(years("2026-03-31", "04-01", { begun: ["2025-02-11"] }), [
      "2024-04-01 2025-03-31 open",
      "2025-04-01 2026-03-31 open"
    ])
    assert.deepStrictEqual(years("2026-04-01", "04-01", { begun: ["2026-04-01"] }), ["2026-04-01 2027-03-31 open"])
    assert.deepStrictEqual(years("2026-05-01", "01-01", {}), ["2026-01-01 2026-12-31 open"])
    // books that begin later than today are of the year that is running
    assert.deepStrictEqual(years("2026-05-01", "01-01", { begun: ["2030-01-01"] }), ["2026-01-01 2026-12-31 open"])
  })

  it("are closed when their last day is; one that is closed in part is open", () => {
    assert.deepStrictEqual(
      years("2026-05-01", "01-01", { begun: ["2025-06-01"], closed: ["2024-12-31", "2025-11-30"] }),
      ["2024-01-01 2024-12-31 closed", "2025-01-01 2025-12-31 open", "2026-01-01 2026-12-31 open"]
    )
  })

  it("end with the last day of February, also in leap years", () => {
    assert.deepStrictEqual(years("2025-01-01", "03-01", { begun: ["2023-02-28"] }), [
      "2022-03-01 2023-02-28 open",
      "2023-03-01 2024-02-29 open",
      "2024-03-01 2025-02-28 open"
    ])
  })
})
