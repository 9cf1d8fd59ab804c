/** Figures as a table, and pairs of throughputs as bars. */
const shown = (value, digits, unit) => (value === undefined ? "" : `${value.toFixed(digits)} ${unit}`.trim())

const verdictOf = ({ budget, least, measured }) => {
  if (measured === undefined) return "not measured"
  if (budget === undefined) return ""
  return (least ? measured >= budget : measured <= budget) ? "within" : "MISSED"
}

/** A measurement as a share of its budget. */
const ratioOf = ({ budget, measured }) =>
  measured === undefined || budget === undefined || budget === 0 ? "" : (measured / budget).toFixed(2)

export const table = (figures) => {
  const rows = [
    ["figure", "budget", "measured", "ratio", "verdict"],
    ...figures.map((figure) => {
      const { budget, digits, least, measured, name, unit } = figure
      const limit = budget === undefined ? "" : `${least ? ">=" : "<="} ${shown(budget, digits, unit)}`
      return [name, limit, shown(measured, digits, unit), ratioOf(figure), verdictOf(figure)]
    })
  ]
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  const line = (row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  ")
  const [head, ...body] = rows.map(line)
  const missed = figures.filter((figure) => verdictOf(figure) === "MISSED").length
  const sum = missed === 0 ? "Every budget that was measured is kept." : `${missed} of the budgets MISSED.`
  return [head, "-".repeat(head.length), ...body, "", sum].join("\n")
}

export const drawn = (groups) => {
  const most = Math.max(...groups.flatMap(([, bars]) => bars.map(([, value]) => value)))
  return [
    "calls a second, each a list of 100 contacts",
    ...groups.flatMap(([group, bars]) =>
      bars.map(
        ([name, value], i) =>
          `${(i === 0 ? group : "").padEnd(12)}${name.padEnd(11)}${"█".repeat(Math.round((value / most) * 60))} ${value.toFixed(0)}`
      )
    )
  ].join("\n")
}
