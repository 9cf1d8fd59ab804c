/**
 * Makes an element. Attributes that start with "on" are listeners, `true` is an attribute without a value, and what is
 * undefined or false is left out, of attributes and of children.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | boolean | undefined | ((event: Event) => void)>} attributes
 * @param {Array<Node | string | undefined | false>} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export const h = (tag, attributes, ...children) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value)
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value))
  }
  element.append(...children.filter((child) => child !== undefined && child !== false))
  return element
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {Array<Node | string>} children
 */
const s = (tag, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
  element.append(...children)
  return element
}

/** Strokes on a grid of 20. */
const strokes = {
  back: "M12 4.5 6.5 10l5.5 5.5",
  forward: "M8 4.5 13.5 10 8 15.5",
  check: "m4.5 10.5 3.7 3.7 7.3-8",
  warning: "M10 3.2 17.6 16.4H2.4ZM10 8.2v3.6M10 14v.2",
  cross: "m5.5 5.5 9 9m0-9-9 9",
  search: "M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11Zm4-1.5 3.8 3.8",
  lock: "M5 9h10v7.5H5zM7 9V6.5a3 3 0 0 1 6 0V9",
  window: "M3 4.5h14v11H3zM3 8h14",
  clock: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm0-11v4.3l2.8 1.7"
}

/**
 * A sign beside words that say the same, so it is hidden from screen readers.
 *
 * @param {keyof typeof strokes} name
 */
export const icon = (name) =>
  s("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" }, s("path", { d: strokes[name] }))

/**
 * The initials of an integration in a tile.
 *
 * @param {{ readonly name: string }} integration
 */
export const monogram = ({ name }) => {
  const initials = name.match(/\p{Lu}|(?<![\p{L}\p{N}])\p{L}/gu) ?? [name.slice(0, 1)]
  return s(
    "svg",
    { viewBox: "0 0 40 40", class: "monogram", "aria-hidden": "true" },
    s("rect", { x: 0.5, y: 0.5, width: 39, height: 39, rx: 10 }),
    s("text", { x: 20, y: 20, dy: "0.35em", "text-anchor": "middle" }, initials.slice(0, 2).join(""))
  )
}
