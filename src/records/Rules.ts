import { Decimal } from "decimal.js"
import type { Resource } from "../canonical/Resource.ts"
import type { Rule } from "../canonical/Rule.ts"
import { isNative } from "../mapping/Mapping.ts"
import type { Body } from "../mapping/Encode.ts"
import { isNothing } from "../mapping/Writer.ts"
import type { FieldErrors } from "../platform/Errors.ts"
import { type Needs, rulesOf } from "../providers/Needs.ts"

/**
 * Requirements of a create (or replace) beyond the types of its fields: fields that its provider requires, and rules between
 * fields that the resource and the provider declare.
 */
const isGiven = (value: unknown) => !isNothing(value)

/** The objects that a rule applies to, each with its path: the body itself, or the entries of one of its lists. */
const scopesOf = (rule: Rule, body: Body): ReadonlyArray<readonly [prefix: string, scope: Body]> => {
  const list = /^(\w+)\[\]\./.exec(rule.fields[0] ?? "")?.[1]
  if (list === undefined) return [["", body]]
  const entries = body[list]
  return Array.isArray(entries)
    ? entries.flatMap((entry, i): ReadonlyArray<readonly [string, Body]> =>
        isNative(entry) ? [[`${list}.${i}.`, entry]] : []
      )
    : []
}

const whenOf = ({ when = {} }: Rule) =>
  Object.entries(when)
    .map(([name, value]) => `, where ${name} is ${value}`)
    .join("")

const brokenBy = (
  rule: Rule,
  scope: Body,
  names: ReadonlyArray<string>,
  provider: string
): readonly [name: string, message: string] | undefined => {
  const [first = ""] = names
  switch (rule.rule) {
    case "oneOf":
      return names.some((name) => isGiven(scope[name])) ? undefined : [first, `one of ${names.join(", ")} is required`]
    case "exactlyOneTrue":
      return names.filter((name) => scope[name] === true).length === 1
        ? undefined
        : [first, `exactly one of ${names.join(", ")} must be true`]
    case "required": {
      const missing = names.find((name) => !isGiven(scope[name]))
      return missing === undefined ? undefined : [missing, `is required by ${provider}${whenOf(rule)}`]
    }
    case "subset": {
      const values = rule.values ?? []
      const value = scope[first]
      return !isGiven(value) || values.includes(String(value))
        ? undefined
        : [first, `must be one of ${values.join(", ")}`]
    }
    case "balanced":
      return undefined
  }
}

const unbalanced = (rule: Rule, body: Body): boolean => {
  const [path = ""] = rule.fields
  const name = path.slice(path.indexOf(".") + 1)
  const amounts = scopesOf(rule, body).flatMap(([, line]) => (typeof line[name] === "number" ? [line[name]] : []))
  return !amounts.reduce((sum, amount) => sum.plus(amount), new Decimal(0)).isZero()
}

/** Whether an entry stays as the record holds it, and so needs no further fields. */
const isHeld = (mode: "create" | "replace", scope: Body) => mode === "replace" && isGiven(scope.remote_id)

/** Errors in a full body, by path. */
export const violations = (
  resource: Resource,
  at: { readonly slug: string; readonly resourceAdapter: Needs },
  body: Body,
  mode: "create" | "replace" = "create"
): FieldErrors => {
  const errors: { [path: string]: string } = {}
  for (const rule of rulesOf(resource, at.resourceAdapter)) {
    if (!Object.entries(rule.when ?? {}).every(([name, value]) => body[name] === value)) continue
    if (rule.rule === "balanced") {
      if (unbalanced(rule, body)) errors[(rule.fields[0] ?? "").replace(/\[\]\..*$/, "")] = "must sum to zero"
      continue
    }
    const names = rule.fields.map((field) => field.replace(/^\w+\[\]\./, ""))
    for (const [prefix, scope] of scopesOf(rule, body)) {
      if (prefix !== "" && isHeld(mode, scope)) continue
      const broken = brokenBy(rule, scope, names, at.slug)
      if (broken !== undefined) errors[prefix + broken[0]] ??= broken[1]
    }
  }
  return errors
}
