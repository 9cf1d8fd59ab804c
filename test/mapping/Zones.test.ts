import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { dayInZone, isZone, startOfDay } from "../../src/mapping/Zones.ts"

const iso = (day: string, zone: string) => new Date(startOfDay(day, zone)).toISOString()

describe("days in a time zone", () => {
  it("a moment late in the evening in UTC is the next day in Berlin", () => {
    const evening = Date.parse("2026-03-31T22:00:00Z")
    assert.strictEqual(dayInZone(evening, "Europe/Berlin"), "2026-04-01")
    assert.strictEqual(dayInZone(evening, "UTC"), "2026-03-31")
    assert.strictEqual(dayInZone(evening, "US/Eastern"), "2026-03-31")
    assert.strictEqual(dayInZone(evening - 1, "Europe/Berlin"), "2026-03-31")
  })

  it("a day begins at midnight by the offset of that day, on both sides of a change of clocks", () => {
    assert.strictEqual(iso("2026-03-29", "Europe/Berlin"), "2026-03-28T23:00:00.000Z")
    assert.strictEqual(iso("2026-03-30", "Europe/Berlin"), "2026-03-29T22:00:00.000Z")
    assert.strictEqual(iso("2026-10-25", "Europe/Berlin"), "2026-10-24T22:00:00.000Z")
    assert.strictEqual(iso("2026-10-26", "Europe/Berlin"), "2026-10-25T23:00:00.000Z")
    assert.strictEqual(iso("2026-06-01", "Asia/Kathmandu"), "2026-05-31T18:15:00.000Z")
    assert.strictEqual(iso("2026-06-01", "Pacific/Kiritimati"), "2026-05-31T10:00:00.000Z")
  })

  it("a day whose midnight clocks skip begins with the first moment after, and a repeated midnight counts once", () => {
    assert.strictEqual(iso("2018-11-04", "America/Sao_Paulo"), "2018-11-04T03:00:00.000Z")
    assert.strictEqual(iso("2026-11-01", "America/Havana"), "2026-11-01T04:00:00.000Z")
  })

  it("an unknown zone counts as UTC", () => {
    assert.isFalse(isZone("Mars/Olympus"))
    assert.isFalse(isZone(undefined))
    assert.isTrue(isZone("US/Eastern"))
    assert.strictEqual(iso("2026-06-01", "Mars/Olympus"), "2026-06-01T00:00:00.000Z")
  })

  it("the start of any day is in that day, and the moment before is not", () => {
    const zones = [
      "Europe/Berlin",
      "US/Eastern",
      "Asia/Tokyo",
      "Australia/Lord_Howe",
      "America/St_Johns",
      "Africa/Cairo"
    ]
    const days = fc
      .date({ min: new Date("1975-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10))
    fc.assert(
      fc.property(days, fc.constantFrom(...zones), (day, zone) => {
        const start = startOfDay(day, zone)
        assert.strictEqual(dayInZone(start, zone), day)
        assert.notStrictEqual(dayInZone(start - 1, zone), day)
      })
    )
  })
})
