import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { quickBooks, soql } from "../../../src/providers/simulation/Dialects.ts"
import { run, sort } from "../../../src/providers/simulation/Evaluate.ts"
import { comparisons, type Dialect, parse } from "../../../src/providers/simulation/Query.ts"

interface Row {
  readonly [field: string]: unknown
}

const now = Date.parse("2024-03-15T12:00:00Z")

const rows: ReadonlyArray<Row> = [
  { Id: "1", Name: "Ann O'Hara", "Owner.Name": "Zoe", Score: 5, Active: true, At: "2024-03-15T01:00:00.000+0000" },
  { Id: "2", Name: "ben 100%", "Owner.Name": "Yan", Score: 12, Active: false, At: "2024-03-14T23:00:00.000+0000" },
  { Id: "3", Name: "C_D", Score: null, Active: true, At: "2024-01-01T10:00:00.000+0000" },
  { Id: "4", Name: "select x from y where a = (b)", Score: 12, Active: true, At: "2023-12-31T23:59:59.000-0100" }
]

const ids = (dialect: Dialect, text: string) =>
  Either.match(parse(dialect, text), {
    onLeft: (message) => message,
    onRight: (query) =>
      run(query, rows, (row, path) => row[path], now)
        .map(({ Id }) => Id)
        .join(" ")
  })

/** Text of a query and the ids it finds, or its refusal. */
const table = (dialect: Dialect, cases: ReadonlyArray<readonly [text: string, found: string]>) => {
  for (const [text, found] of cases) {
    it(text, () => assert.strictEqual(ids(dialect, `SELECT Id FROM Thing ${text}`), found))
  }
}

describe("SOQL", () => {
  describe("finds", () => {
    table(soql, [
      ["WHERE Name = 'ANN o\\'hara'", "1"],
      ["WHERE Name LIKE 'a%'", "1"],
      ["WHERE Name LIKE '%100\\%'", "2"],
      ["WHERE Name LIKE 'C\\_D'", "3"],
      ["WHERE Name LIKE '___'", "3"],
      ["WHERE Name = 'select x from y where a = (b)'", "4"],
      ["WHERE NOT Name LIKE 'a%' ORDER BY Id DESC", "4 3 2"],
      ["WHERE (NOT Owner.Name = 'zoe') AND Score > 5", "2 4"],
      ["WHERE Owner.Name = null", "3 4"],
      ["WHERE Owner.Name != null", "1 2"],
      ["WHERE Owner.Name != 'Zoe'", "2 3 4"],
      ["WHERE Owner.Name <> 'Zoe'", "2 3 4"],
      ["WHERE Id IN ('1', '3')", "1 3"],
      ["WHERE Id NOT IN ('1', '3')", "2 4"],
      ["WHERE Score >= 12 AND Active = TRUE", "4"],
      ["WHERE Score < 12", "1"],
      ["WHERE (Score = 5 OR Score = null) AND Active = true", "1 3"],
      ["WHERE At > 2024-03-14T23:30:00Z", "1"],
      ["WHERE At > 2024-03-15T00:30:00.000+01:00", "1"],
      ["WHERE At >= 2024-01-01T00:59:59Z AND At < 2024-03-01T00:00:00Z", "3 4"],
      ["WHERE At = TODAY", "1"],
      ["WHERE At < today", "2 3 4"],
      ["WHERE At = LAST_N_DAYS:1", "1 2"],
      ["WHERE At = LAST_N_MONTHS:2", "3 4"],
      ["WHERE At = THIS_YEAR ORDER BY At", "4 3 2 1"],
      ["ORDER BY Score, Name DESC", "3 1 4 2"],
      ["ORDER BY Score DESC NULLS LAST, Id", "2 4 1 3"],
      ["ORDER BY Score DESC", "3 2 4 1"],
      ["ORDER BY At LIMIT 2 OFFSET 1", "3 2"],
      ["LIMIT 0", ""]
    ])
  })

  describe("refuses", () => {
    table(soql, [
      ["WHERE Score = 5 OR Score = 12 AND Active = true", "unexpected token: 'OR'"],
      ["WHERE Name IS NULL", "unexpected token: 'IS'"],
      ["WHERE Name NOT LIKE 'x'", "unknown operator: NOT LIKE"],

      ["WHERE Name = 'a\\d'", "Illegal character escape '\\d'"],
      ["WHERE Name = 'open", "unexpected token: ''open'"],
      ['WHERE Name = "x"', "unexpected token: '\"x\"'"],
      ["WHERE DAY_ONLY(At) = 2024-01-01", "unknown function: DAY_ONLY"],
      ["WHERE Name = Owner.Name", "unexpected token: 'Owner.Name'"],
      ["WHERE At = LAST_N_MOONS:2", "unexpected token: 'LAST_N_MOONS:2'"],
      ["WHERE", "unexpected end of query"],
      ["WHERE Id = (SELECT Id FROM Other)", "a literal value is expected"],
      ["GROUP BY Name", "GROUP BY is not supported"],
      ["FOR UPDATE", "unexpected token: 'UPDATE'"],
      ["USING SCOPE mine", "unexpected token: 'SCOPE'"],
      ["LIMIT 1 LIMIT 2", "unexpected token: 'LIMIT'"],
      ["LIMIT -1", "LIMIT takes a whole number"],
      ["LIMIT 'x'", "LIMIT takes a whole number"],
      ["ORDER BY 'x'", "a field name is expected"],
      ["; DELETE", "unexpected token: ';'"]
    ])
  })

  it("reads columns, relations to children and counts", () => {
    const text =
      "select Id, Account.Owner.Name, (SELECT ContactId FROM OpportunityContactRoles WHERE IsPrimary = true LIMIT 1) from Order"
    const query = Either.getOrThrow(parse(soql, text))
    assert.strictEqual(query.from, "Order")
    assert.deepStrictEqual(query.columns.slice(0, 2), [
      { kind: "field", path: "Id" },
      { kind: "field", path: "Account.Owner.Name" }
    ])
    const children = query.columns[2]
    assert.strictEqual(children?.kind, "children")
    if (children?.kind !== "children") return
    assert.strictEqual(children.query.from, "OpportunityContactRoles")
    assert.strictEqual(children.query.limit, 1)
    assert.deepStrictEqual(comparisons(children.query.where), [
      { kind: "compare", path: "IsPrimary", operator: "=", values: [{ kind: "boolean", value: true }] }
    ])
    assert.deepStrictEqual(Either.getOrThrow(parse(soql, "SELECT COUNT() FROM A")).columns, [{ kind: "count" }])
    assert.deepStrictEqual(Either.getOrThrow(parse(soql, "SELECT count(Id) FROM A")).columns, [
      { kind: "count", path: "Id" }
    ])
  })

  it("refuses selections it does not know", () => {
    const refusal = (columns: string) => Either.flip(parse(soql, `SELECT ${columns} FROM A`))
    assert.deepStrictEqual(refusal("toLabel(Status)"), Either.right("unknown function: toLabel"))
    assert.deepStrictEqual(refusal("Name n"), Either.right("unexpected token: 'n'"))
    assert.deepStrictEqual(refusal("Name,"), Either.right("unexpected token: 'FROM'"))
    assert.deepStrictEqual(refusal(""), Either.right("unexpected token: 'FROM'"))
    assert.deepStrictEqual(refusal("COUNT(Id), Name"), Either.right("a count stands with counts only"))
    assert.deepStrictEqual(refusal("DISTINCT Name"), Either.right("unexpected token: 'Name'"))
    assert.isTrue(Either.isLeft(parse(soql, "SELECT Id FROM A, B")))
    assert.isTrue(Either.isLeft(parse(soql, "UPDATE A SET x = 1")))
  })
})

describe("QuickBooks' query language", () => {
  describe("finds", () => {
    table(quickBooks, [
      ["WHERE Name = 'Ann O\\'Hara'", "1"],
      ["WHERE Name LIKE '%\\'%'", "1"],
      ["WHERE Name LIKE 'C_D'", "3"],
      ["WHERE Name LIKE 'C_'", ""],
      ["where Active in (true, false) orderby Name desc", "4 3 2 1"],
      ["WHERE Active = 'true' AND Score > '4.5'", "1 4"],
      ["WHERE Owner.Name = 'Yan'", "2"],
      ["WHERE At >= '2024-03-14T16:00:00-07:00' ORDERBY At", "2 1"],
      ["WHERE At < '2024-01-02' ORDER BY At ASC", "4 3"],
      ["STARTPOSITION 2 MAXRESULTS 2", "2 3"],
      ["ORDERBY Id DESC maxresults 1 startposition 1", "4"],
      ["ORDERBY Score", "3 1 2 4"],
      ["ORDERBY Score DESC", "2 4 1 3"]
    ])
  })

  describe("refuses", () => {
    table(quickBooks, [
      ["WHERE Name = 'a' OR Name = 'b'", "unexpected token: 'OR'"],
      ["WHERE NOT Name = 'a'", "unexpected token: 'Name'"],
      ["WHERE Name != 'a'", "unknown operator: !="],
      ["WHERE Name NOT IN ('a')", "unexpected token: 'NOT'"],
      ["LIMIT 10", "unexpected token: 'LIMIT'"],
      ["STARTPOSITION 0", "STARTPOSITION takes a whole number from 1"],
      ["STARTPOSITION", "STARTPOSITION takes a whole number from 1"],
      ["MAXRESULTS 1 MAXRESULTS 2", "unexpected token: 'LIMIT'"],
      ["WHERE At > TODAY", "unexpected token: 'TODAY'"],
      ["GROUP BY Name", "unexpected token: 'BY'"]
    ])
  })

  it("counts and selects everything", () => {
    assert.deepStrictEqual(Either.getOrThrow(parse(quickBooks, "select * from Customer")).columns, [{ kind: "all" }])
    assert.deepStrictEqual(Either.getOrThrow(parse(quickBooks, "select count(*) from Customer")).columns, [
      { kind: "count" }
    ])
  })
})

describe("sort", () => {
  it("keeps the order of rows whose keys are equal", () => {
    const key = { path: "Score", descending: true, nullsFirst: false }
    assert.deepStrictEqual(
      sort([key], rows, (row, path) => row[path]).map(({ Id }) => Id),
      ["2", "4", "1", "3"]
    )
  })
})
