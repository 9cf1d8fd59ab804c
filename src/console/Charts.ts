import { html, type Html, type Part } from "./Html.ts"

/** Charts of the last hour, a value for each minute, oldest first. Drawn as SVG, with a summary in words beside them. */

/** One kind of values; `look` is a class of the style sheet, `values` has null where there is nothing to draw. */
interface Series {
  readonly label: string
  readonly look: "first" | "second"
  readonly values: ReadonlyArray<number | null>
}

interface Chart {
  readonly title: string
  /** The total, in figures. */
  readonly figure: Part
  /** The same for people who cannot see the chart. */
  readonly summary: string
  readonly series: ReadonlyArray<Series>
  /** Formats a value for the axis. */
  readonly unit: (value: number) => string
  /** Least value that the axis ends at. */
  readonly least: number
  readonly kind: "bars" | "lines"
}

const width = 320
const height = 132
/** The plot within. */
const plot = { left: 0, right: 320, top: 18, bottom: 112 }

/** Rounds up to a round number. */
const roundUp = (value: number) => {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

const fixed = (value: number) => Number(value.toFixed(2))

export const chart = ({ figure, kind, least, series, summary, title, unit }: Chart): Html => {
  const count = series[0]?.values.length ?? 0
  const step = (plot.right - plot.left) / Math.max(1, count)
  const sums = Array.from({ length: count }, (_, at) =>
    kind === "bars"
      ? series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)
      : Math.max(0, ...series.map(({ values }) => values[at] ?? 0))
  )
  const top = roundUp(Math.max(least, ...sums))
  const y = (value: number) => fixed(plot.bottom - (value / top) * (plot.bottom - plot.top))
  const x = (at: number) => fixed(plot.left + at * step)

  const bars = () => {
    const below = Array.from({ length: count }, () => 0)
    return series.map(
      ({ look, values }) => html`
        <path
          class="bar ${look}"
          d="${values
            .map((value, at) => {
              if (value === null || value === 0) return ""
              const base = below[at] ?? 0
              below[at] = base + value
              return `M${x(at)} ${y(base)}V${y(base + value)}h${fixed(step * 0.72)}V${y(base)}Z`
            })
            .join("")}"
        />
      `
    )
  }

  const lines = () =>
    series.map(({ look, values }) => {
      const d = values
        .map((value, at) => {
          if (value === null) return ""
          const begins = at === 0 || values[at - 1] === null
          const alone = begins && (at === count - 1 || values[at + 1] === null)
          return `${begins ? "M" : "L"}${x(at + 0.5)} ${y(value)}${alone ? "h0.01" : ""}`
        })
        .join("")
      return html`<path class="line ${look}" d="${d}" />`
    })

  return html`
    <figure class="panel chart">
      <figcaption>
        <span class="name">${title}</span>
        <span class="figure">${figure}</span>
      </figcaption>
      <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${summary}">
        <path class="grid" d="M0 ${plot.bottom}H${width}M0 ${y(top / 2)}H${width}M0 ${plot.top}H${width}" />
        ${kind === "bars" ? bars() : lines()}
        <text x="0" y="${plot.top - 5}">${unit(top)}</text>
        <text x="0" y="${height - 4}">1 hour ago</text>
        <text x="${width}" y="${height - 4}" text-anchor="end">now</text>
      </svg>
      ${
        series.length > 1 &&
        html`<p class="legend">${series.map(({ label, look }) => html`<span class="key ${look}">${label}</span>`)}</p>`
      }
    </figure>
  `
}

/** Shares of a whole, side by side; text beside them says what they are. */
export const shares = (parts: ReadonlyArray<{ readonly look: "good" | "warn"; readonly count: number }>): Html => {
  const whole = parts.reduce((sum, { count }) => sum + count, 0)
  const starts = parts.map((_, at) => parts.slice(0, at).reduce((sum, { count }) => sum + count, 0))
  return html`
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" class="shares" aria-hidden="true">
      ${parts.map(
        ({ count, look }, at) =>
          count > 0 &&
          html`<rect
            class="${look}"
            x="${fixed(((starts[at] ?? 0) / whole) * 100)}"
            width="${fixed((count / whole) * 100)}"
            height="6"
          />`
      )}
    </svg>
  `
}

/** A bar for a duration, on a logarithmic scale from 1 ms to 30 s. */
export const duration = (milliseconds: number): Html => {
  const part = Math.min(1, Math.log10(Math.max(1, milliseconds)) / Math.log10(30_000))
  return html`
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" class="duration" aria-hidden="true">
      <rect width="100" height="6" />
      <rect class="filled" width="${fixed(Math.max(2, part * 100))}" height="6" />
    </svg>
  `
}

/** A stretch of time within a whole one; its figures stand beside it. */
export const stretch = (start: number, length: number, whole: number): Html => {
  const left = whole === 0 ? 0 : Math.min(98, (start / whole) * 100)
  const width = whole === 0 ? 100 : Math.min(100 - left, Math.max(2, (length / whole) * 100))
  return html`
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" class="duration" aria-hidden="true">
      <rect width="100" height="6" />
      <rect class="filled" x="${fixed(left)}" width="${fixed(width)}" height="6" />
    </svg>
  `
}
